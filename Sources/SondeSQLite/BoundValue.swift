/// A value of a statement's parameter; `nil` for null.
package enum BoundValue: Sendable {
  case text(String?)
  case number(Int64?)
  case bytes([UInt8]?)
}

extension Database {
  /// Runs a statement without result rows, and returns the number of changed rows.
  @discardableResult
  package func run(
    _ sql: StaticString,
    _ values: [BoundValue] = []
  ) throws(SQLiteError) -> Int {
    let statement = try statement(sql)
    statement.bind(values)
    try statement.run()
    return changes
  }

  /// The rows of a query.
  package func rows<R>(
    _ sql: StaticString,
    _ values: [BoundValue] = [],
    read: (Statement) -> R
  ) throws(SQLiteError) -> [R] {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.reset() }
    var rows: [R] = []
    while try statement.step() { rows.append(read(statement)) }
    return rows
  }
}

extension Statement {
  /// Binds values to the parameters in their order.
  package func bind(_ values: [BoundValue]) {
    for (index, value) in zip(Int32(1)..., values) {
      switch value {
      case .text(let text?): bind(index, text)
      case .number(let number?): bind(index, number)
      case .bytes(let bytes?): bind(index, bytes)
      case .text, .number, .bytes: bindNothing(index)
      }
    }
  }

  /// A text column of the current row, counted from 0; `nil` if it is null.
  package func optionalText(_ column: Int32) -> String? {
    type(column) == .nothing ? nil : text(column)
  }
}

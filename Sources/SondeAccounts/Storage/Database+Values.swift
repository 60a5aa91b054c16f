import SondeSQLite

/// A value in a statement.
enum BoundValue {
  case text(String)
  case optionalText(String?)
  case number(Int64)
  case moment(Duration)
  case flag(Bool)
  case fingerprint(Fingerprint)
}

extension Database {
  /// Runs a statement that finds nothing.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  func run(_ sql: StaticString, _ values: BoundValue...) throws(SQLiteError) -> Int {
    try statement(sql, values).run()
    return changes
  }

  /// Every row that a statement finds.
  func rows<R>(
    _ sql: StaticString,
    _ values: BoundValue...,
    read: (Statement) -> R
  ) throws(SQLiteError) -> [R] {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    var rows: [R] = []
    while try statement.step() { rows.append(read(statement)) }
    return rows
  }

  private func statement(
    _ sql: StaticString,
    _ values: [BoundValue]
  ) throws(SQLiteError) -> Statement {
    let statement = try statement(sql)
    for (index, value) in zip(Int32(1)..., values) {
      switch value {
      case .text(let text), .optionalText(.some(let text)): statement.bind(index, text)
      case .optionalText(.none): statement.bindNothing(index)
      case .number(let number): statement.bind(index, number)
      case .moment(let moment): statement.bind(index, moment.inMilliseconds)
      case .flag(let flag): statement.bind(index, flag ? 1 : 0)
      case .fingerprint(let fingerprint): statement.bind(index, fingerprint.bytes)
      }
    }
    return statement
  }
}

extension Statement {
  /// A text of the present row, the first column being 0; `nil` where there is none.
  func optionalText(_ column: Int32) -> String? { type(column) == .nothing ? nil : text(column) }

  /// A moment of the present row, the first column being 0.
  func moment(_ column: Int32) -> Duration { .milliseconds(number(column)) }
}

extension Duration {
  /// The whole milliseconds.
  var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// Without what is finer than a millisecond, as moments are kept.
  var toMilliseconds: Duration { .milliseconds(inMilliseconds) }
}

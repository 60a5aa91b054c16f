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
  /// Runs a statement without result rows, and returns the number of changed rows.
  @discardableResult
  func run(_ sql: StaticString, _ values: BoundValue...) throws(SQLiteError) -> Int {
    try statement(sql, values).run()
    return changes
  }

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
  /// A text column of the current row, counted from 0; `nil` if it is null.
  func optionalText(_ column: Int32) -> String? { type(column) == .nothing ? nil : text(column) }

  /// A moment in a column of the current row, counted from 0.
  func moment(_ column: Int32) -> Duration { .milliseconds(number(column)) }
}

extension Duration {
  var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// The duration without fractions of a millisecond, as moments are stored.
  var toMilliseconds: Duration { .milliseconds(inMilliseconds) }
}

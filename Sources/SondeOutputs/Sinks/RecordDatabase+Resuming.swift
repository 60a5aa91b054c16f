import SondeInputs
import SondeRecords
import SondeSQLite
import SondeSystem

extension RecordDatabase {
  /// The rows of a table that a journal knows.
  struct Beginning {
    /// The hash of its rows.
    var hash = Checksum()
    /// The number of the last one; `nil` if there is none.
    var lastRow: Int64?
  }

  /// Reads the rows that a journal knows, which end at the mark unless the table has changed.
  func beginning(_ columns: [Field], upTo mark: OutputMark) throws(SQLiteError) -> Beginning {
    let database = try open(withLog: true, Self.wait())
    try make(columns, in: database)
    let rows = try database.statement(
      made: "SELECT rowid, \(Self.names(columns)) FROM \(Self.name) ORDER BY rowid"
    )
    defer { rows.reset() }
    var found = Beginning()
    var bytes: [UInt8] = []
    while found.hash.count < mark.length, try rows.step() {
      bytes.removeAll(keepingCapacity: true)
      for column in 1...Int32(clamping: columns.count) { rows.appendValue(column, to: &bytes) }
      found.hash.update(bytes.span)
      found.lastRow = rows.number(0)
    }
    return found
  }

  func isEmpty() throws(SQLiteError) -> Bool {
    let database = try open(withLog: true, Self.wait())
    return try database.number("SELECT EXISTS (SELECT 1 FROM records)") == 0
  }

  /// Deletes the rows after one; all of them if there is none.
  func cut(behind row: Int64?) throws(SQLiteError) {
    let database = try open(withLog: true, Self.wait())
    let statement = try database.statement("DELETE FROM records WHERE rowid > ?")
    statement.bind(1, row ?? .min)
    try statement.run()
  }
}

extension Statement {
  /// Appends a value of the current row in its form before it was written.
  fileprivate func appendValue(_ column: Int32, to bytes: inout [UInt8]) {
    switch type(column) {
    case .integer: TableRow.append(.integer(number(column)), to: &bytes)
    case .real: TableRow.append(.real(real(column)), to: &bytes)
    case .text: withText(column) { TableRow.append(text: $0, to: &bytes) }
    case .nothing, .bytes: TableRow.append(.missing, to: &bytes)
    }
  }
}

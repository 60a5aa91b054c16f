import Glibc
import Records
import SQLite
import System

/// The table of records in a database, by the path of its file.
struct RecordTable: Sendable {
  /// What it is called.
  static let name = "records"

  let path: String

  /// The endings of SQLite's files beside a database (https://www.sqlite.org/tempfiles.html).
  static let companions = ["-wal", "-shm", "-journal"]

  /// Opens the database, whose file must exist; the last connection to close removes the files
  /// beside it.
  ///
  /// - Parameters:
  ///   - keepsLog: Whether changes are first written to a log, so that readers never wait.
  ///   - wait: How long its calls wait for locks of other programs.
  /// - Returns: The database.
  /// - Throws: `SQLiteError`.
  func open(withLog keepsLog: Bool, _ wait: LockWait) throws(SQLiteError) -> Database {
    let database = try Database(path: resolvedPath(path), .writing, wait: wait)
    database.keepsLog = false
    // A log is synchronized before it is written back, and the file after: a power failure takes the
    // last transactions at most (https://www.sqlite.org/pragma.html#pragma_synchronous).
    try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
    // Where there can be no log, the file is changed in place, behind a journal.
    if keepsLog { try? database.execute("PRAGMA journal_mode = WAL") }
    return database
  }

  /// Makes the table.
  func make(_ columns: [Field], in database: Database) throws(SQLiteError) {
    let definitions = columns.map { "\(Database.quoted($0.name)) \($0.columnType)" }
    try database.execute(
      "CREATE TABLE IF NOT EXISTS \(Self.name) (\(definitions.joined(separator: ", ")))"
    )
  }

  /// The statement that adds a row.
  static func insertion(of columns: [Field]) -> String {
    let values = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(name) (\(names(columns))) VALUES (\(values))"
  }

  /// The statement that changes a row, whose number is the last parameter.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - bits: For each of them a bit that the first parameter has where it is changed.
  /// - Returns: The statement.
  static func change(of columns: [Field], bits: [Int]) -> String {
    let values = columns.enumerated().map { index, field in
      let name = Database.quoted(field.name)
      return "\(name) = iif(?1 & \(bits[index]), ?\(index + 2), \(name))"
    }
    let set = values.joined(separator: ", ")
    return "UPDATE \(name) SET \(set) WHERE rowid = ?\(columns.count + 2)"
  }

  private static func names(_ columns: [Field]) -> String {
    columns.map { Database.quoted($0.name) }.joined(separator: ", ")
  }
}

// MARK: - Resuming

extension RecordTable {
  /// The rows of a table that a journal knows.
  struct Beginning {
    /// The hash of its rows.
    var hash = Checksum()
    /// The number of the last of them; `nil` where there is none.
    var lastRow: Int64?
  }

  /// Reads the rows that a journal knows.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - mark: How far the table was, by the journal.
  /// - Returns: The rows, which end at the mark unless the table has changed.
  /// - Throws: `SQLiteError`.
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

  /// Checks whether the table has no row.
  func isEmpty() throws(SQLiteError) -> Bool {
    let database = try open(withLog: true, Self.wait())
    return try database.number("SELECT EXISTS (SELECT 1 FROM records)") == 0
  }

  /// Deletes the rows behind one; all of them where there is none.
  func cut(behind row: Int64?) throws(SQLiteError) {
    let database = try open(withLog: true, Self.wait())
    let statement = try database.statement("DELETE FROM records WHERE rowid > ?")
    statement.bind(1, row ?? .min)
    try statement.run()
  }
}

extension Statement {
  /// Appends a value of the present row as it was before it was written.
  fileprivate func appendValue(_ column: Int32, to bytes: inout [UInt8]) {
    switch type(column) {
    case .integer: TableRow.append(.integer(number(column)), to: &bytes)
    case .real: TableRow.append(.real(real(column)), to: &bytes)
    case .text: withText(column) { TableRow.append(text: $0, to: &bytes) }
    case .nothing, .bytes: TableRow.append(.missing, to: &bytes)
    }
  }
}

import Glibc
package import SondeRecords
package import SondeSQLite
import SondeSystem

/// The table of records in a database, by the path of its file.
package struct RecordTable: Sendable {
  /// What it is called.
  package static let name = "records"

  /// How long a call waits for another program that has the database locked, before that is reported.
  package static let longestWait = Duration.seconds(1)

  package let path: String

  /// Makes one of its parts.
  package init(path: String) {
    self.path = path
  }

  /// What SQLite puts beside a database (https://www.sqlite.org/tempfiles.html).
  package static let companions = ["-wal", "-shm", "-journal"]

  /// Opens the database, whose file must be there; what it needs beside it goes with the last one to
  /// close it.
  ///
  /// - Parameters:
  ///   - keepsLog: Whether changes are written to a log at first, so that who reads waits for nobody.
  ///   - wait: How long its calls wait for locks that others hold.
  /// - Returns: The database.
  /// - Throws: `SQLiteError`.
  package func open(withLog keepsLog: Bool, _ wait: LockWait) throws(SQLiteError) -> Database {
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
  package func make(_ columns: [Field], in database: Database) throws(SQLiteError) {
    let definitions = columns.map { "\(Database.quoted($0.name)) \($0.columnType)" }
    try database.execute(
      "CREATE TABLE IF NOT EXISTS \(Self.name) (\(definitions.joined(separator: ", ")))"
    )
  }

  /// The statement that adds a row.
  package static func insertion(of columns: [Field]) -> String {
    let values = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(name) (\(names(columns))) VALUES (\(values))"
  }

  /// The statement that changes a row, whose number is the last parameter.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - bits: For each of them a bit that the first parameter has where it is changed.
  /// - Returns: The statement.
  package static func change(of columns: [Field], bits: [Int]) -> String {
    let values = columns.enumerated().map { index, field in
      let name = Database.quoted(field.name)
      return "\(name) = iif(?1 & \(bits[index]), ?\(index + 2), \(name))"
    }
    let set = values.joined(separator: ", ")
    return "UPDATE \(name) SET \(set) WHERE rowid = ?\(columns.count + 2)"
  }

  package static func names(_ columns: [Field]) -> String {
    columns.map { Database.quoted($0.name) }.joined(separator: ", ")
  }
}

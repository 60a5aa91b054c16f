import Glibc
package import SondeRecords
package import SondeSQLite
import SondeSystem

/// The table of records in a database, by the path of its file.
package struct RecordDatabase: Sendable {
  /// The name of the table.
  package static let name = "records"

  /// How long a call waits for another program's lock before that is reported.
  package static let longestWait = Duration.seconds(1)

  package let path: String

  package init(path: String) { self.path = path }

  /// The files that SQLite creates next to a database (https://www.sqlite.org/tempfiles.html).
  package static let companions = ["-wal", "-shm", "-journal"]

  /// Opens the database, whose file must exist; its companion files are removed with the last
  /// process that closes it.
  ///
  /// With a log, changes are first written to it, so that readers need not wait.
  package func open(withLog keepsLog: Bool, _ wait: LockWait) throws(SQLiteError) -> Database {
    let database = try Database(path: resolvedPath(path), .writing, wait: wait)
    database.keepsLog = false
    // A log is synchronized before it is written back, and the file after: a power failure takes
    // the last transactions at most (https://www.sqlite.org/pragma.html#pragma_synchronous).
    try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
    // Without a log, the file is changed in place, protected by a journal.
    if keepsLog { try? database.execute("PRAGMA journal_mode = WAL") }
    return database
  }

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
  /// `bits` are the columns' bits in the first parameter, which are set for those that change.
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

extension Statement {
  /// Binds the value at a position of a row in the form of `TableRow`, and advances the position.
  package func bind(_ index: Int32, valueAt position: inout Int, of row: Span<UInt8>) {
    switch TableRow.value(at: &position, in: row) {
    case .missing: bindNothing(index)
    case .integer(let number): bind(index, number)
    case .real(let number): bind(index, real: number)
    case .text(let range): bind(index, text: row.extracting(range))
    }
  }
}

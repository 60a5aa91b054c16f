import SondeSQLite
import SondeSystem

/// An open database, and which file it is.
///
/// Nothing here decides what to do about an error; ``DatabaseKeeper`` does.
final class Connection {
  let file: DatabaseFile
  let database: Database

  /// Which file was opened.
  let identity: FileIdentity

  let isWritable: Bool

  /// Whether it replaced a database of an earlier version.
  let hasReplaced: Bool

  /// Tells this connection from every other one.
  private let mark = UInt64.random(in: 0...UInt64.max)

  init(_ file: DatabaseFile, wait: LockWait) throws(SQLiteError) {
    self.file = file
    let opened = try file.open(wait)
    database = opened.database
    identity = opened.identity
    isWritable = opened.isWritable
    hasReplaced = opened.hasReplaced
  }

  /// What it holds, as far as other connections have changed it
  /// (https://www.sqlite.org/pragma.html#pragma_data_version).
  func view() throws(SQLiteError) -> StoreView {
    StoreView(session: mark, version: try database.number("PRAGMA data_version") ?? 0)
  }

  /// Whether the file is still the one at its path.
  var isInPlace: Bool { FileStatus(path: file.path)?.identity == identity }

  /// Reads, everything as it was at one moment.
  func read<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try transaction("BEGIN", body)
  }

  /// Changes everything or nothing, while nobody else changes anything.
  func write<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    guard isWritable else { throw SQLiteError(.forbidden, "\(file.path) may not be written") }
    return try transaction("BEGIN IMMEDIATE", body)
  }

  private func transaction<R>(
    _ begin: StaticString,
    _ body: () throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    try database.statement(begin).run()
    do {
      let result = try body()
      try database.statement("COMMIT").run()
      return result
    } catch {
      // Some errors have ended it already (https://www.sqlite.org/lang_transaction.html).
      if database.isInTransaction { try? database.statement("ROLLBACK").run() }
      throw error
    }
  }
}

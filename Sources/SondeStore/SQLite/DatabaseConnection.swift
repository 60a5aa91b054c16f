package import SondeSQLite
import SondeSystem

extension DatabaseKeeper {
  /// Runs a body with the database of another target; see `perform`.
  @discardableResult
  package func use<R>(
    for purpose: Purpose,
    _ body: (DatabaseConnection) throws(SQLiteError) -> R
  ) -> R? {
    perform(for: purpose, body)
  }
}

/// An open database and its file.
///
/// It does not handle errors; ``DatabaseKeeper`` does.
package final class DatabaseConnection {
  let file: StoreFile
  package let database: Database
  let identity: FileIdentity

  let isWritable: Bool

  /// Whether it replaced a database of an earlier version.
  let hasReplaced: Bool

  /// A random identifier of this connection.
  private let mark = UInt64.random(in: 0...UInt64.max)

  init(_ file: StoreFile, wait: LockWait) throws(SQLiteError) {
    self.file = file
    let opened = try file.open(wait)
    database = opened.database
    identity = opened.identity
    isWritable = opened.isWritable
    hasReplaced = opened.hasReplaced
  }

  /// The database's content, as far as other connections have changed it
  /// (https://www.sqlite.org/pragma.html#pragma_data_version).
  func view() throws(SQLiteError) -> StoreView {
    StoreView(session: mark, version: try database.number("PRAGMA data_version") ?? 0)
  }

  /// Whether the file is still the one at its path.
  var isInPlace: Bool { FileStatus(path: file.path)?.identity == identity }

  /// Reads a consistent state.
  package func read<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try transaction("BEGIN", body)
  }

  /// Runs an exclusive transaction, which is rolled back on an error.
  package func write<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
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
      // Some errors have already ended it (https://www.sqlite.org/lang_transaction.html).
      if database.isInTransaction { try? database.statement("ROLLBACK").run() }
      throw error
    }
  }
}

extension Database {
  /// Opens a database that others change, to read it, and reads its schema; `prepare` sets limits
  /// before.
  ///
  /// A change in whose midst a program was ended is undone first, as by any program that may write
  /// (https://www.sqlite.org/lockingv3.html#hot_journals). A connection for reading alone may not.
  ///
  /// - Throws: ``SQLiteError``; of the kind `unfinished` if the user may not undo that change.
  public static func forReading(
    _ path: String,
    wait: LockWait,
    prepare: (Database) -> Void
  ) throws(SQLiteError) -> Database {
    do throws(SQLiteError) {
      return try open(path, .reading, wait, prepare)
    } catch {
      guard error.kind == .unfinished else { throw error }
      return try open(path, .writing, wait, prepare)
    }
  }

  private static func open(
    _ path: String,
    _ access: Access,
    _ wait: LockWait,
    _ prepare: (Database) -> Void
  ) throws(SQLiteError) -> Database {
    let database = try Database(path: path, access, wait: wait)
    database.keepsLog = false
    prepare(database)
    _ = try database.number("SELECT 1 FROM sqlite_schema")
    return database
  }
}

import SondeSQLite

extension Database {
  /// The size of a temporary database's page cache in KiB.
  private static let temporaryMemory = 4096

  /// Creates a database in an unnamed file in `TMPDIR`, with these tables.
  ///
  /// A database without a name is a temporary file, removed as soon as it is created
  /// (https://www.sqlite.org/inmemorydb.html#temp_db).
  static func temporary(tables: String) throws(SQLiteError) -> Database {
    let database = try Database(path: "", .writing, wait: LockWait())
    try database.execute(
      """
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -\(temporaryMemory);
      \(tables)
      """
    )
    return database
  }
}

import System

/// The tables, and how to tell that a database has them.
enum Schema {
  /// `SOND`, in the header of every database of ours (https://www.sqlite.org/fileformat.html, 1.3.14).
  static let applicationID: Int64 = 0x534f_4e44

  /// The bytes of a page; the schema fits into the first one.
  static let pageSize = 4096

  /// Texts that SQLite keeps in the first page, by which a cache is known that it cannot read.
  static let traces = [
    "CREATE TABLE scopes (\n  id INTEGER PRIMARY KEY,\n  provider TEXT",
    "CREATE TABLE answers (\n  id INTEGER PRIMARY KEY,\n  scope INTEGER",
    "CREATE TABLE places (id INTEGER PRIMARY KEY, entries BLOB",
    "CREATE TABLE runs (\n  id INTEGER PRIMARY KEY,\n  newest INTEGER",
    "CREATE TABLE ledger (key TEXT PRIMARY KEY, state BLOB",
  ]

  /// The version that this program reads and writes.
  private static let version: Int64 = 1

  /// Makes sure that a database is ours and has the tables of this version.
  static func prepare(_ database: Database) throws(StoreError) {
    try database.execute(settings)
    if try isEmpty(database) { try create(in: database) }
    // Before anything is changed.
    let found = try check(database)
    try database.execute("PRAGMA journal_mode = WAL")
    switch found {
    case version: break
    // Versions before this one were never released; their steps to the next one go here.
    case let other: throw StoreError(.damaged, "version \(other) of it never was")
    }
  }

  /// Makes sure that a database can be read.
  ///
  /// - Returns: The version of its tables, which is no later than ours.
  @discardableResult
  static func check(_ database: Database) throws(StoreError) -> Int64 {
    guard try database.number("PRAGMA application_id") == applicationID else {
      let own: StaticString =
        "SELECT count(*) FROM sqlite_schema WHERE name IN ('answers', 'places', 'ledger')"
      throw try database.number(own) == 3
        ? StoreError(.damaged, "its header was changed")
        : StoreError(.foreign, "it is a database of another program")
    }
    let found = try database.number("PRAGMA user_version") ?? 0
    guard found <= version else {
      throw StoreError(
        .newer,
        "a later version of sonde made it (\(found); this one knows \(version))"
      )
    }
    return found
  }

  private static func isEmpty(_ database: Database) throws(StoreError) -> Bool {
    let id = try database.number("PRAGMA application_id")
    guard id == 0 || id == applicationID else { return false }
    return try database.number("SELECT count(*) FROM sqlite_schema") == 0
  }

  private static func create(in database: Database) throws(StoreError) {
    // In this order: the first two hold only for a database without a page. There is no log yet, so
    // that the file itself says from the beginning whose it is.
    try database.execute("PRAGMA page_size = \(pageSize)")
    try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try database.execute("BEGIN IMMEDIATE")
    do {
      try database.execute(tables)
      try database.execute("PRAGMA application_id = \(applicationID)")
      try database.execute("PRAGMA user_version = \(version)")
      try database.execute("COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      throw error
    }
  }

  /// The settings of a connection.
  private static let settings = """
    PRAGMA synchronous = NORMAL;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA secure_delete = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA mmap_size = 0;
    PRAGMA cache_size = -8192;
    PRAGMA journal_size_limit = 16777216;
    """

  /// The checksum of a row is `Checksum` over its bytes and numbers.
  private static let tables = """
    -- What was asked: the answers to one question are of no use for another.
    CREATE TABLE scopes (
      id INTEGER PRIMARY KEY,
      provider TEXT, endpoint TEXT, account TEXT, language TEXT, fields TEXT,
      checksum INTEGER
    );
    -- Answers, some in a row, as they came (Sources/Store/Answers/Chunk.swift).
    CREATE TABLE answers (
      id INTEGER PRIMARY KEY,
      scope INTEGER,
      given INTEGER,   -- seconds since 1970 UTC
      uptime INTEGER,  -- milliseconds since the machine was started
      boot INTEGER,    -- which start that was
      count INTEGER,
      entries BLOB,
      checksum INTEGER
    );
    -- Where answers lie: rows of sorted keys, of which a run owns some that follow one another.
    CREATE TABLE places (id INTEGER PRIMARY KEY, entries BLOB, checksum INTEGER);
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY,
      newest INTEGER,  -- the last of the answers that it knows of
      first INTEGER,   -- its first row
      count INTEGER,   -- the places in all of them
      fences BLOB,     -- the first key of each row
      checksum INTEGER
    );
    -- The quotas of the providers, and who has taken what of them.
    CREATE TABLE ledger (key TEXT PRIMARY KEY, state BLOB, checksum INTEGER) WITHOUT ROWID;
    """
}

import SQLite

/// The tables of accounts.
///
/// Moments are milliseconds since 1970 UTC. What belongs to nobody in particular has no user.
enum AccountSchema {
  /// The number in the header of every such database
  /// (https://www.sqlite.org/fileformat.html, 1.3.14).
  private static let applicationID: Int64 = 0x534f_4e41  // SONA

  /// The version of the tables that this program reads and writes.
  private static let version: Int64 = 1

  private static let tables = """
    CREATE TABLE users (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      email TEXT NOT NULL UNIQUE,
      password TEXT,           -- Argon2id; NULL: none fits until one is set by a reset link
      is_admin INTEGER NOT NULL,
      is_disabled INTEGER NOT NULL,
      created INTEGER NOT NULL
    );
    -- Whatever is opened by a secret is known by the secret's BLAKE2b hash.
    CREATE TABLE sessions (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      secret BLOB NOT NULL UNIQUE,
      id TEXT NOT NULL UNIQUE,
      user TEXT REFERENCES users (id) ON DELETE CASCADE,
      created INTEGER NOT NULL,
      expires INTEGER NOT NULL
    );
    CREATE INDEX sessions_of_user ON sessions (user, number);
    CREATE TABLE tokens (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      secret BLOB NOT NULL UNIQUE,
      id TEXT NOT NULL UNIQUE,
      user TEXT REFERENCES users (id) ON DELETE CASCADE,
      created INTEGER NOT NULL,
      name TEXT NOT NULL
    );
    CREATE INDEX tokens_of_user ON tokens (user, number);
    CREATE TABLE links (
      secret BLOB PRIMARY KEY,
      purpose TEXT NOT NULL,
      user TEXT REFERENCES users (id) ON DELETE CASCADE,  -- who invites, or whose password it is
      expires INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX links_of_user ON links (user);
    """

  /// The settings of a connection: what is committed outlasts a power failure, and what is deleted
  /// is overwritten.
  private static let settings = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -4096;
    PRAGMA journal_size_limit = 16777216;
    """

  /// Makes a connection keep to the settings.
  static func configure(_ database: Database) throws(SQLiteError) { try database.execute(settings) }

  /// Makes sure that a database has these tables; one that is not ours is left as it is.
  static func prepare(_ database: Database) throws(SQLiteError) {
    if try isEmpty(database) {
      try database.execute(
        """
        BEGIN IMMEDIATE;
        \(tables)
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        COMMIT;
        """
      )
    }
    try check(database)
  }

  private static func isEmpty(_ database: Database) throws(SQLiteError) -> Bool {
    guard try database.number("PRAGMA application_id") == 0 else { return false }
    return try database.number("SELECT count(*) FROM sqlite_schema") == 0
  }

  private static func check(_ database: Database) throws(SQLiteError) {
    guard try database.number("PRAGMA application_id") == applicationID else {
      throw SQLiteError(.foreign, "it is a database of another program")
    }
    let found = try database.number("PRAGMA user_version") ?? 0
    guard found == version else {
      throw SQLiteError(
        found > version ? .newer : .outdated,
        "another version made it (\(found); this one knows \(version))"
      )
    }
  }
}

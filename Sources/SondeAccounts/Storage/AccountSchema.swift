import SondeSQLite

/// The database schema of accounts.
///
/// Moments are milliseconds since 1970 UTC. Without accounts, rows have no user.
enum AccountSchema {
  private static let tables = VersionedTables(
    applicationID: 0x534f_4e41,  // SONA
    steps: [first]
  )

  private static let first = """
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

  /// The settings of a connection: commits survive a power failure, and deleted data is
  /// overwritten.
  private static let settings = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -4096;
    PRAGMA journal_size_limit = 16777216;
    """

  static func configure(_ database: Database) throws(SQLiteError) { try database.execute(settings) }

  /// Creates the tables if missing; a database of another program is not changed.
  static func prepare(_ database: Database) throws(SQLiteError) { try tables.prepare(database) }
}

import SondeSQLite

/// The tables of the dashboard's state.
///
/// Times are milliseconds since 1970 UTC. The user's id is empty in a dashboard without accounts.
enum StateSchema {
  private static let tables = VersionedTables(
    applicationID: 0x534f_4e57,  // SONW
    steps: [first, watchlist, deaths, uses]
  )

  private static let first = """
    CREATE TABLE scans (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      user TEXT NOT NULL,
      name TEXT NOT NULL,
      form TEXT NOT NULL,      -- what was asked for: guess, list or log
      mode TEXT,               -- what it is: list or log; NULL before it was looked into
      provider TEXT,
      phase TEXT NOT NULL,
      reason TEXT,             -- why it failed
      retried TEXT,            -- the phase in which it began to ask again
      created INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      key TEXT,                -- Idempotency-Key
      request TEXT,            -- what that key was given with
      total INTEGER,
      plan BLOB,               -- JSON
      counts BLOB,             -- JSON
      throughput BLOB          -- JSON
    );
    CREATE INDEX scans_of_user ON scans (user, number);
    CREATE UNIQUE INDEX scans_by_key ON scans (user, key) WHERE key IS NOT NULL;

    CREATE TABLE lookups (
      user TEXT NOT NULL,
      ip TEXT NOT NULL,
      number INTEGER NOT NULL,  -- rises with each look-up of the user
      asked INTEGER NOT NULL,
      rank INTEGER NOT NULL,    -- the place of who answered in the list of providers
      record BLOB NOT NULL,     -- JSON
      PRIMARY KEY (user, ip)
    ) WITHOUT ROWID;
    CREATE INDEX lookups_in_order ON lookups (user, number);

    CREATE TABLE losses (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      scan TEXT,                -- NULL: of this machine
      begin INTEGER NOT NULL,
      end INTEGER,              -- NULL: it lasts
      cause TEXT NOT NULL,
      interface TEXT
    );
    CREATE INDEX losses_of_scan ON losses (scan, number);
    """

  /// Added by version 2.
  private static let watchlist = """
    CREATE TABLE watched (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      user TEXT NOT NULL,
      name TEXT NOT NULL,
      address TEXT NOT NULL,
      note TEXT,
      record BLOB,              -- JSON; NULL before the first answer
      rank INTEGER NOT NULL,    -- the place of who answered in the list of providers
      checked INTEGER,          -- when it was asked for last
      changes BLOB NOT NULL     -- JSON, the newest first
    );
    CREATE INDEX watched_of_user ON watched (user, number);
    CREATE INDEX watched_by_age ON watched (checked);
    """

  /// Added by version 3.
  private static let deaths = """
    ALTER TABLE scans ADD COLUMN running INTEGER NOT NULL DEFAULT 0;  -- 1 while it runs
    ALTER TABLE scans ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;   -- of servers while it ran,
    ALTER TABLE scans ADD COLUMN place INTEGER NOT NULL DEFAULT 0;    -- in a row, when it was here
    """

  /// Added by version 4.
  private static let uses = """
    CREATE TABLE uses (
      user TEXT NOT NULL,
      minute INTEGER NOT NULL,  -- since 1970 UTC
      lookups INTEGER NOT NULL, -- made in it, also of one address
      PRIMARY KEY (user, minute)
    ) WITHOUT ROWID;
    """

  /// Commits survive the end of the process; a power failure loses at most the last transactions.
  private static let settings = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -4096;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = 16777216;
    """

  static func prepare(_ database: Database) throws(SQLiteError) {
    try tables.prepare(database)
    try database.execute(settings)
  }
}

import SondeSQLite

/// The tables of one kind of database, and how to recognise a file with them.
package struct Schema: Sendable {
  /// The name of the file for people.
  let noun: String

  /// The number in the header of every such database
  /// (https://www.sqlite.org/fileformat.html, 1.3.14).
  let applicationID: Int64
  let version: Int64

  /// The statements that create the tables in an empty database.
  let tables: String

  /// Checks whether a database has the tables, whatever its header: 1 or 0.
  let hasTables: StaticString

  /// Texts that SQLite stores in the first page, by which a damaged database is recognised as ours.
  let traces: [String]

  /// The size of SQLite's page cache in KiB.
  let memory: Int

  /// The size of a page in bytes; the schema fits into the first one.
  static let pageSize = 4096

  /// Describes the tables of a kind of database; see the properties.
  package init(
    noun: String,
    applicationID: Int64,
    version: Int64,
    tables: String,
    hasTables: StaticString,
    traces: [String],
    memory: Int
  ) {
    (self.noun, self.applicationID, self.version) = (noun, applicationID, version)
    (self.tables, self.hasTables) = (tables, hasTables)
    (self.traces, self.memory) = (traces, memory)
  }
}

extension Schema {
  /// The answers and their scopes.
  ///
  /// The checksum of a row covers all of it except the ID of an answer.
  static let answers = Schema(
    noun: "the cache",
    applicationID: 0x534f_4e44,  // SOND
    version: 2,
    tables: """
      -- What was asked: the answers to one question are of no use for another.
      CREATE TABLE scopes (
        id INTEGER PRIMARY KEY,
        provider TEXT, endpoint TEXT, account TEXT, language TEXT,
        fields INTEGER,  -- a bit for each thing that was asked for
        checksum INTEGER
      );
      -- Answers as they came (Sources/SondeStore/Answers/AnswerCoding.swift).
      CREATE TABLE answers (
        id INTEGER PRIMARY KEY,
        scope INTEGER,
        ip,              -- IPv4: its number; IPv6: 16 bytes
        given INTEGER,   -- seconds since 1970 UTC
        uptime INTEGER,  -- milliseconds since the machine was started
        boot INTEGER,    -- which start that was
        answer BLOB,
        checksum INTEGER
      );
      -- In this order a comparison is mostly one of numbers.
      CREATE UNIQUE INDEX addresses ON answers (ip, scope);
      """,
    hasTables: "SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('scopes', 'answers')",
    traces: [
      "CREATE TABLE scopes (\n  id INTEGER PRIMARY KEY,\n  provider TEXT",
      "CREATE TABLE answers (\n  id INTEGER PRIMARY KEY,\n  scope INTEGER",
      "CREATE TABLE places (id INTEGER PRIMARY KEY, entries BLOB",
    ],
    // Sufficient for the index of a million answers.
    memory: 32_768
  )

  /// The quotas of providers, and the requests spent.
  static let quotas = Schema(
    noun: "the ledger of quotas",
    applicationID: 0x534f_4e51,  // SONQ
    version: 1,
    // An account is a keyed hash.
    tables: """
      CREATE TABLE quotas (account BLOB PRIMARY KEY, state BLOB, checksum INTEGER) WITHOUT ROWID;
      """,
    hasTables: "SELECT count(*) = 1 FROM sqlite_schema WHERE name = 'quotas'",
    traces: ["CREATE TABLE quotas (account BLOB PRIMARY KEY, state BLOB"],
    memory: 256
  )
}

// MARK: - Preparing a database

extension Schema {
  /// Ensures that a database is ours and has the tables of this version.
  ///
  /// - Throws: ``SQLiteError``, of the kind `outdated` for an earlier version.
  func prepare(_ database: Database) throws(SQLiteError) {
    try database.execute(settings)
    if try isEmpty(database) { try create(in: database) }
    // Before anything is changed.
    try check(database)
    try database.execute("PRAGMA journal_mode = WAL")
  }

  /// Ensures that a database can be read.
  func check(_ database: Database) throws(SQLiteError) {
    guard try database.number("PRAGMA application_id") == applicationID else {
      throw try database.number(hasTables) == 1
        ? SQLiteError(.damaged, "its header was changed")
        : SQLiteError(.foreign, "it is a database of another program")
    }
    let found = try database.number("PRAGMA user_version") ?? 0
    if found < version { throw SQLiteError(.outdated, "an earlier version of sonde made it") }
    guard found == version else {
      throw SQLiteError(
        .newer,
        "a later version of sonde made it (\(found); this one knows \(version))"
      )
    }
  }

  func isEmpty(_ database: Database) throws(SQLiteError) -> Bool {
    let id = try database.number("PRAGMA application_id")
    guard id == 0 || id == applicationID else { return false }
    return try database.number("SELECT count(*) FROM sqlite_schema") == 0
  }

  private func create(in database: Database) throws(SQLiteError) {
    // In this order: the first two only take effect in a database without pages. There is no log
    // yet, so that the file itself is recognisable as ours from the beginning.
    try database.execute("PRAGMA page_size = \(Self.pageSize)")
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

  private var settings: String {
    """
    PRAGMA synchronous = NORMAL;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA mmap_size = 0;
    PRAGMA cache_size = -\(memory);
    PRAGMA journal_size_limit = 16777216;
    """
  }
}

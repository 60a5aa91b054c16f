import SondeAddresses
import SondeRecords
import SondeSQLite
import SondeSystem

/// The rows of texts found by sources; all access must be within a transaction.
///
/// The table is created with the first text, so that older caches can store texts, too.
struct TextTable {
  let database: Database

  var isThere: Bool {
    get throws(SQLiteError) {
      try database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'texts'") == 1
    }
  }

  /// Creates the table if it is missing.
  func make() throws(SQLiteError) {
    guard try !isThere else { return }
    try database.execute(
      """
      -- What sources have found, each thing for a time of its own.
      CREATE TABLE texts (
        key BLOB,         -- what it is about
        scope TEXT,       -- who keeps it, and what it depends on
        given INTEGER,    -- seconds since 1970 UTC
        uptime INTEGER,   -- milliseconds since the machine was started
        boot INTEGER,     -- which start that was
        lifetime INTEGER, -- milliseconds
        text BLOB,
        checksum INTEGER,
        PRIMARY KEY (key, scope)
      ) WITHOUT ROWID
      """
    )
  }

  /// Finds an unexpired text younger than `limit` for each key; `nil` if there is none or its row
  /// is damaged.
  func find(
    _ keys: [[UInt8]],
    inScope scope: String,
    now: AnswerMoment,
    youngerThan limit: Duration?
  ) throws(SQLiteError) -> [[UInt8]?] {
    let statement = try database.statement(
      """
      SELECT given, uptime, boot, lifetime, text, checksum FROM texts WHERE key = ?1 AND scope = ?2
      """
    )
    statement.bind(2, scope)
    var found: [[UInt8]?] = []
    for key in keys {
      statement.bind(1, key)
      defer { statement.reset() }
      guard try statement.step() else {
        found.append(nil)
        continue
      }
      let given = AnswerMoment(
        seconds: statement.number(0),
        uptime: statement.number(1),
        boot: statement.number(2)
      )
      let lifetime = Duration.milliseconds(statement.number(3))
      let text = statement.withBytes(4) { [UInt8](copying: $0) }
      let sum = Self.checksum(key, scope, given, statement.number(3), text)
      let isFresh = now.isFresh(given, youngerThan: min(lifetime, limit ?? lifetime))
      found.append(isFresh && statement.optionalNumber(5) == sum ? text : nil)
    }
    return found
  }

  func insert(_ texts: [KeptText], inScope scope: String, now: AnswerMoment) throws(SQLiteError) {
    let statement = try database.statement(
      """
      INSERT OR REPLACE INTO texts (key, scope, given, uptime, boot, lifetime, text, checksum) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """
    )
    statement.bind(2, scope)
    statement.bind(3, now.seconds)
    statement.bind(4, now.uptime)
    statement.bind(5, now.boot)
    for text in texts {
      let lifetime = text.lifetime.milliseconds
      statement.bind(1, text.key)
      statement.bind(6, lifetime)
      statement.bind(8, Self.checksum(text.key, scope, now, lifetime, text.text))
      try statement.run(7, text.text.span)
    }
  }

  /// Removes expired texts; those from the future are kept, since their age is unknown.
  func removeExpired(now: AnswerMoment) throws(SQLiteError) {
    let statement = try database.statement(
      "DELETE FROM texts WHERE given <= ?1 AND given + lifetime / 1000 < ?1"
    )
    statement.bind(1, now.seconds)
    try statement.run()
  }

  func hasExpired(now: AnswerMoment) throws(SQLiteError) -> Bool {
    let statement = try database.statement(
      "SELECT EXISTS (SELECT 1 FROM texts WHERE given <= ?1 AND given + lifetime / 1000 < ?1)"
    )
    statement.bind(1, now.seconds)
    defer { statement.reset() }
    return try statement.step() && statement.number(0) == 1
  }

  /// Removes the texts about an address; returns whether there were any.
  func delete(_ address: Address) throws(SQLiteError) -> Bool {
    let statement = try database.statement("DELETE FROM texts WHERE key = ?1")
    statement.bind(1, address.keptKey)
    try statement.run()
    return database.changes > 0
  }

  /// Removes texts of at least an age; returns their number.
  func delete(olderThan age: Duration, now: AnswerMoment) throws(SQLiteError) -> Int {
    let statement = try database.statement(
      "DELETE FROM texts WHERE given <= ?1 OR boot = ?2 AND boot <> 0 AND uptime <= ?3"
    )
    statement.bind(latest: age, before: now)
    try statement.run()
    return Int(database.changes)
  }

  func clear() throws(SQLiteError) { try database.execute("DELETE FROM texts") }

  private static func checksum(
    _ key: [UInt8],
    _ scope: String,
    _ given: AnswerMoment,
    _ lifetime: Int64,
    _ text: [UInt8]
  ) -> Int64 {
    var sum = Checksum()
    for bytes in [key, Array(scope.utf8), text] {
      sum.update(word: UInt64(bytes.count))
      sum.update(bytes.span)
    }
    for number in [given.seconds, given.uptime, given.boot, lifetime] {
      sum.update(word: UInt64(bitPattern: number))
    }
    return Int64(bitPattern: sum.value)
  }
}

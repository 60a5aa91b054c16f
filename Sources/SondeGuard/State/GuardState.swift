import Glibc
import SondeFollow
package import SondeSQLite
import SondeSystem

/// What a guard keeps: positions, memories, waiting hits and alerts, all in one transaction.
///
/// It is used by one thread at a time.
package final class GuardState {
  /// The application ID in the header of the file: `sgrd`.
  private static let applicationID: Int64 = 0x7367_7264

  private static let tables = """
    CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE keys(
      key BLOB PRIMARY KEY, memory BLOB NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX keys_by_use ON keys(used);
    CREATE TABLE key_values(
      name BLOB PRIMARY KEY, seen INTEGER NOT NULL, alert INTEGER, used INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX key_values_by_use ON key_values(used);
    CREATE TABLE waiting(number INTEGER PRIMARY KEY AUTOINCREMENT, hit BLOB NOT NULL);
    CREATE TABLE alerts(number INTEGER PRIMARY KEY, event BLOB NOT NULL, way INTEGER NOT NULL);
    CREATE TABLE hours(hour INTEGER PRIMARY KEY, count INTEGER NOT NULL);
    \(PositionTable.definition)
    CREATE TABLE names(name TEXT PRIMARY KEY) WITHOUT ROWID;
    """

  /// The pages in the write-ahead log beyond which it is written back.
  private static let mostFrames = 1000

  let database: Database
  /// Whether it is there in the next run.
  let isKept: Bool
  /// Whether each transaction waits for the disk.
  private var isDurable = true
  /// The number of the last alert, of which there may be none any more.
  var lastAlert: Int64 = 0

  /// Opens the state in a file, which is created; without one, it is kept nowhere.
  ///
  /// - Throws: ``SQLiteError``.
  package init(path: String?) throws(SQLiteError) {
    isKept = path != nil
    guard let path else {
      database = try Database(path: "", .writing, wait: LockWait())
      try database.execute(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;"
      )
      try database.execute(Self.tables)
      return
    }
    if FileStatus(path: path) == nil {
      do throws(SystemError) {
        _ = try Descriptor(opening: path, Int32(O_RDWR | O_CREAT), mode: 0o600)
      } catch {
        throw SQLiteError(.failing, "\(error)")
      }
    }
    database = try Database(path: path, .writing, wait: LockWait())
    try database.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;"
    )
    try VersionedTables(applicationID: Self.applicationID, steps: [Self.tables]).prepare(database)
    lastAlert = try database.number("SELECT max(number) FROM alerts") ?? 0
  }

  /// Runs changes of which all are kept, or none.
  ///
  /// Those that need not be `durable` may be lost with the power, but not when the process ends.
  /// - Throws: ``SQLiteError``.
  package func transaction<Result>(
    durable isDurable: Bool = true,
    _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    if isKept, isDurable != self.isDurable {
      // Waiting for the disk takes most of the time of a short transaction.
      try database.execute(
        isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"
      )
      self.isDurable = isDurable
    }
    try database.execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try database.execute("COMMIT")
      if isKept, database.framesInLog > Self.mostFrames {
        try database.checkpoint()
      }
      return result
    } catch {
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      throw error
    }
  }

  // MARK: - Settings

  /// Forgets counts and values where the settings by which they were made are others; returns
  /// whether it did.
  ///
  /// Hits that wait go on waiting, as `seen` by the new settings.
  ///
  /// - Throws: ``SQLiteError``.
  package func renew(
    for spelling: String,
    seen: (GuardHit) -> GuardHit
  ) throws(SQLiteError) -> Bool {
    let known = try database.text("SELECT value FROM settings WHERE name = 'judged'")
    guard known != spelling else { return false }
    try transaction { () throws(SQLiteError) in
      try database.execute("DELETE FROM keys; DELETE FROM key_values;")
      var last: Int64 = 0
      while case let hits = try waiting(behind: last, atMost: 1000), let end = hits.last {
        for (number, hit) in hits {
          try database.run(
            "UPDATE waiting SET hit = ? WHERE number = ?",
            [.bytes(seen(hit).stored), .number(number)]
          )
        }
        last = end.number
      }
      try database.run(
        "INSERT OR REPLACE INTO settings VALUES ('judged', ?)",
        [.text(spelling)]
      )
    }
    return known != nil
  }

  /// The cursor of the last entry of the journal that was read; `nil` if none was.
  func journalCursor() throws(SQLiteError) -> String? {
    try database.text("SELECT value FROM settings WHERE name = 'journal'")
  }

  /// Saves the cursor of the last entry of the journal that was read.
  func save(journalCursor cursor: String) throws(SQLiteError) {
    try database.run("INSERT OR REPLACE INTO settings VALUES ('journal', ?)", [.text(cursor)])
  }

  // MARK: - Waiting hits

  /// The bytes of hits that wait.
  package func waitingBytes() throws(SQLiteError) -> Int {
    Int(try database.number("SELECT coalesce(sum(length(hit)), 0) FROM waiting") ?? 0)
  }

  /// The waiting hits behind a number, in order.
  package func waiting(
    behind number: Int64,
    atMost count: Int
  ) throws(SQLiteError) -> [(number: Int64, hit: GuardHit)] {
    try database.rows(
      "SELECT number, hit FROM waiting WHERE number > ? ORDER BY number LIMIT ?",
      [.number(number), .number(Int64(count))]
    ) { row in
      let bytes = row.withBytes(1) { bytes in bytes.indices.map { bytes[$0] } }
      return GuardHit(stored: bytes).map { (row.number(0), $0) }
    }.compactMap(\.self)
  }

  /// Adds a hit that waits; returns its bytes.
  package func wait(_ hit: GuardHit) throws(SQLiteError) -> Int {
    let stored = hit.stored
    try database.run("INSERT INTO waiting(hit) VALUES (?)", [.bytes(stored)])
    return stored.count
  }

  /// Forgets the waiting hits up to a number; returns their bytes.
  package func finishWaiting(upTo number: Int64) throws(SQLiteError) -> Int {
    let bytes = try database.rows(
      "SELECT coalesce(sum(length(hit)), 0) FROM waiting WHERE number <= ?",
      [.number(number)]
    ) { Int($0.number(0)) }.first
    try database.run("DELETE FROM waiting WHERE number <= ?", [.number(number)])
    return bytes ?? 0
  }
}

import SondeRecords
import SondeSQLite
import SondeStore
import SondeSystem

extension Schema {
  /// What programs saw of the network.
  static let outages = Schema(
    noun: "the history",
    applicationID: 0x534f_4e48,  // SONH
    version: 1,
    tables: """
      -- Times are milliseconds.
      CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        watcher INTEGER,  -- the number of the program, whose lock shows that it is alive
        program TEXT,
        endpoint TEXT,
        state TEXT,
        cause TEXT,
        interface TEXT,
        boot INTEGER,     -- which run of the machine "begin" belongs to
        begin INTEGER,    -- since the machine was booted
        wall INTEGER,     -- the same since 1970 UTC
        length INTEGER,   -- until the end or the last sign of life
        over INTEGER      -- whether the end was seen: 0 or 1
      );
      """,
    hasTables: "SELECT count(*) = 1 FROM sqlite_schema WHERE name = 'runs'",
    traces: ["CREATE TABLE runs (\n  id INTEGER PRIMARY KEY,\n  watcher INTEGER"],
    memory: 1024
  )
}

/// The rows of what was watched.
struct WatchedRunTable {
  /// The pages in the log beyond which a change, and in the end also a sign of life, writes them
  /// back.
  private static let longLog = (atChange: 200, atSign: 2000)

  let database: Database

  /// Writes runs, or replaces their rows.
  ///
  /// With `syncing`, they are on the disk afterwards, and those that are too old are removed.
  func write(
    _ runs: [WatchedRun],
    syncing: Bool,
    in connection: DatabaseConnection
  ) throws(SQLiteError) {
    if syncing { try database.execute("PRAGMA synchronous = FULL") }
    defer { if syncing { try? database.execute("PRAGMA synchronous = NORMAL") } }
    try connection.write { () throws(SQLiteError) in
      for run in runs { try write(run) }
      guard syncing else { return }
      let oldest = Timestamp.now.milliseconds - OutageHistory.keeping.milliseconds
      try database.run("DELETE FROM runs WHERE wall + length < ?", [.number(oldest)])
    }
    let longest = syncing ? Self.longLog.atChange : Self.longLog.atSign
    if database.framesInLog > longest { try database.checkpoint() }
  }

  private func write(_ run: WatchedRun) throws(SQLiteError) {
    try database.run(
      "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .number(run.id), .number(run.watcher), .text(run.program), .text(run.endpoint),
        .text(run.state.rawValue), .text(run.cause), .text(run.interface), .number(run.boot),
        .number(run.begin), .number(run.wall), .number(run.length), .number(run.isOver ? 1 : 0),
      ]
    )
  }

  /// The runs that end after a moment, in milliseconds since 1970 UTC.
  func runs(after moment: Int64) throws(SQLiteError) -> [WatchedRun] {
    let rows = try database.rows(
      "SELECT * FROM runs WHERE wall + max(1, length) > ? ORDER BY wall, id",
      [.number(moment)],
      read: WatchedRun.init
    )
    return rows.compactMap(\.self)
  }

  /// The last runs of an endpoint, the newest first; `program` is the only one, if not `nil`.
  func lastRuns(of endpoint: String, by program: String?) throws(SQLiteError) -> [WatchedRun] {
    let rows = try database.rows(
      """
      SELECT * FROM runs WHERE endpoint = ?1 AND program = coalesce(?2, program)
      -- A run whose end was seen comes before its successor, however their times were rounded.
      ORDER BY wall + length - 2 * over DESC, wall DESC, id LIMIT 1000
      """,
      [.text(endpoint), .text(program)],
      read: WatchedRun.init
    )
    return rows.compactMap(\.self)
  }
}

extension WatchedRun {
  /// Reads a row; `nil` if it is not one that Sonde writes.
  fileprivate init?(_ row: Statement) {
    guard let state = WatchedState(rawValue: row.text(4)) else { return nil }
    let (begin, wall, length) = (row.number(8), row.number(9), row.number(10))
    // Times from other hands must not overflow.
    let most: Int64 = 1 << 53
    guard (0...most).contains(length), abs(begin) <= most, abs(wall) <= most else { return nil }
    self.init(
      id: row.number(0),
      watcher: row.number(1),
      program: row.text(2),
      endpoint: row.text(3),
      state: state,
      cause: row.optionalText(5),
      interface: row.optionalText(6),
      boot: row.number(7),
      begin: begin,
      wall: wall,
      length: length,
      isOver: row.number(11) == 1
    )
  }
}

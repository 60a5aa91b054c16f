import SondeSQLite

/// The rows of how probes connected, one for each endpoint and minute.
///
/// The table is created with its first row: only `serve` writes any.
struct LatencyTable {
  let database: Database

  /// Adds a minute; if an earlier run has begun it, failures add up and the later median counts.
  func add(_ minute: LatencyMinute, of endpoint: String) throws(SQLiteError) {
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS latencies (
        endpoint TEXT,
        minute INTEGER,   -- its beginning in milliseconds since 1970 UTC
        connect INTEGER,  -- the median time to connect in microseconds; NULL if no probe did
        failed INTEGER,   -- the number of failed probes
        PRIMARY KEY (endpoint, minute)
      ) WITHOUT ROWID
      """
    )
    try database.run(
      """
      INSERT INTO latencies VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
      SET connect = coalesce(excluded.connect, connect), failed = failed + excluded.failed
      """,
      [.text(endpoint), .number(minute.start), .number(minute.connect), .number(minute.failed)]
    )
  }

  /// Removes the minutes before a moment, in milliseconds since 1970 UTC.
  func remove(before moment: Int64) throws(SQLiteError) {
    try database.run("DELETE FROM latencies WHERE minute < ?", [.number(moment)])
  }

  /// The minutes of an endpoint from a moment on, in order.
  func minutes(of endpoint: String, since moment: Int64) throws(SQLiteError) -> [LatencyMinute] {
    guard try database.number("SELECT 1 FROM sqlite_schema WHERE name = 'latencies'") == 1 else {
      return []
    }
    return try database.rows(
      """
      SELECT minute, connect, failed FROM latencies
      WHERE endpoint = ? AND minute >= ? ORDER BY minute
      """,
      [.text(endpoint), .number(moment)]
    ) { row in
      LatencyMinute(start: row.number(0), connect: row.optionalNumber(1), failed: row.number(2))
    }
  }
}

import SondeInputs
import SondeRecords
import SondeSQLite
import SondeSystem

extension DashboardState {
  /// The stored scans, the oldest first.
  func scans() throws(StateError) -> [StoredScan] {
    try perform { database throws(SQLiteError) in
      try database.rows(
        """
        SELECT id, user, name, form, provider, created, bytes, key, request,
          phase, reason, retried, mode, total, plan, counts, throughput, running, deaths, place
        FROM scans ORDER BY number
        """
      ) { StoredScan($0) }
    }
  }

  func insert(_ birth: StoredScan.Birth) throws(StateError) {
    try run(
      """
      INSERT INTO scans (id, user, name, form, provider, created, bytes, key, request, phase)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      with: [
        .text(birth.id), .text(birth.user), .text(birth.name), .text(birth.form.rawValue),
        .text(birth.provider), .number(birth.createdAt.milliseconds), .number(Int64(birth.bytes)),
        .text(birth.idempotency?.key), .text(birth.idempotency?.request),
        .text(ScanLife.Phase.ready.rawValue),
      ]
    )
  }

  func update(_ scan: StoredScan) throws(StateError) {
    let (life, deaths) = (scan.life, scan.deaths)
    try run(
      """
      UPDATE scans SET phase = ?, reason = ?, retried = ?, mode = ?, total = ?, plan = ?,
        counts = ?, throughput = ?, running = ?, deaths = ?, place = ? WHERE id = ?
      """,
      with: [
        .text(life.phase.rawValue), .text(life.reason), .text(life.retried?.rawValue),
        .text(scan.mode?.name), .number(scan.total.map { Int64($0) }), .bytes(scan.plan),
        .bytes(scan.counts), .bytes(scan.throughput), .number(deaths.isRunning ? 1 : 0),
        .number(Int64(deaths.count)), .number(Int64(deaths.place)), .text(scan.id),
      ]
    )
  }

  /// Records an orderly shutdown: no scan runs any more.
  func endRuns() throws(StateError) {
    try run("UPDATE scans SET running = 0 WHERE running <> 0", with: [])
  }

  /// Deletes a scan and its losses.
  func deleteScan(_ id: String) throws(StateError) {
    try run(
      "DELETE FROM scans WHERE id = ?",
      "DELETE FROM losses WHERE scan = ?",
      with: [.text(id)]
    )
  }
}

extension StoredScan {
  fileprivate init(_ row: Statement) {
    let key = row.optionalText(7).map {
      Idempotency(key: $0, request: row.optionalText(8) ?? "")
    }
    self.init(
      Birth(
        id: row.text(0),
        user: row.text(1),
        name: row.text(2),
        form: InputForm(rawValue: row.text(3)) ?? .guess,
        provider: row.optionalText(4),
        createdAt: Timestamp(milliseconds: row.number(5)),
        bytes: Int(row.number(6)),
        idempotency: key
      )
    )
    deaths = ScanDeaths(
      isRunning: row.number(17) != 0,
      count: Int(row.number(18)),
      place: Int(row.number(19))
    )
    life = ScanLife(
      ScanLife.Phase(rawValue: row.text(9)) ?? .failed,
      reason: row.optionalText(10),
      retried: row.optionalText(11).flatMap(ScanLife.Phase.init),
      isDeadly: deaths.areCaused
    )
    mode = row.optionalText(12).flatMap { InputMode(named: $0) }
    total = row.optionalNumber(13).map { Int($0) }
    (plan, counts, throughput) = (row.bytes(14), row.bytes(15), row.bytes(16))
  }
}

extension InputMode {
  /// Its name in the database and in the API.
  var name: String {
    switch self {
    case .list: "list"
    case .log: "log"
    }
  }

  init?(named name: String) {
    guard let mode = [InputMode.list, .log].first(where: { $0.name == name }) else { return nil }
    self = mode
  }
}

extension Statement {
  /// The bytes of a column of the current row; `nil` if the column is NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard type(column) == .bytes else { return nil }
    return withBytes(column) { span in span.indices.map { span[$0] } }
  }
}

import SondeInputs
import SondeRecords
import SondeSQLite
import SondeSystem

extension DashboardState {
  /// The stored scans, the oldest first.
  func scans() throws(StateError) -> [StoredScan] {
    try perform { database throws(SQLiteError) in
      let query = try database.statement(
        """
        SELECT id, user, name, form, provider, created, bytes, key, request,
          phase, reason, retried, mode, total, plan, counts, throughput, running, deaths, place
        FROM scans ORDER BY number
        """
      )
      defer { query.reset() }
      var scans: [StoredScan] = []
      while try query.step() { scans.append(StoredScan(query)) }
      return scans
    }
  }

  func insert(_ birth: StoredScan.Birth) throws(StateError) {
    try perform { database throws(SQLiteError) in
      let insertion = try database.statement(
        """
        INSERT INTO scans (id, user, name, form, provider, created, bytes, key, request, phase)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
      )
      insertion.bind(1, birth.id)
      insertion.bind(2, birth.user)
      insertion.bind(3, birth.name)
      insertion.bind(4, birth.form.rawValue)
      insertion.bind(5, optional: birth.provider)
      insertion.bind(6, birth.createdAt.milliseconds)
      insertion.bind(7, Int64(birth.bytes))
      insertion.bind(8, optional: birth.idempotency?.key)
      insertion.bind(9, optional: birth.idempotency?.request)
      insertion.bind(10, ScanLife.Phase.ready.rawValue)
      try insertion.run()
    }
  }

  func update(_ scan: StoredScan) throws(StateError) {
    try perform { database throws(SQLiteError) in
      let change = try database.statement(
        """
        UPDATE scans SET phase = ?, reason = ?, retried = ?, mode = ?, total = ?, plan = ?,
          counts = ?, throughput = ?, running = ?, deaths = ?, place = ? WHERE id = ?
        """
      )
      change.bind(1, scan.life.phase.rawValue)
      change.bind(2, optional: scan.life.reason)
      change.bind(3, optional: scan.life.retried?.rawValue)
      change.bind(4, optional: scan.mode?.name)
      if let total = scan.total { change.bind(5, Int64(total)) } else { change.bindNothing(5) }
      for (index, bytes) in [scan.plan, scan.counts, scan.throughput].enumerated() {
        let place = Int32(6 + index)
        if let bytes { change.bind(place, bytes) } else { change.bindNothing(place) }
      }
      let deaths = scan.deaths
      for (index, number) in [deaths.isRunning ? 1 : 0, deaths.count, deaths.place].enumerated() {
        change.bind(Int32(9 + index), Int64(number))
      }
      change.bind(12, scan.id)
      try change.run()
    }
  }

  /// Records an orderly shutdown: no scan runs any more.
  func endRuns() throws(StateError) {
    try perform { database throws(SQLiteError) in
      try database.execute("UPDATE scans SET running = 0 WHERE running <> 0")
    }
  }

  /// Deletes a scan and its losses.
  func deleteScan(_ id: String) throws(StateError) {
    try run(["DELETE FROM scans WHERE id = ?", "DELETE FROM losses WHERE scan = ?"]) {
      $0.bind(1, id)
    }
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
    switch name {
    case "list": self = .list
    case "log": self = .log
    default: return nil
    }
  }
}

extension Statement {
  func bind(_ index: Int32, optional text: String?) {
    if let text { bind(index, text) } else { bindNothing(index) }
  }

  func optionalText(_ column: Int32) -> String? { type(column) == .nothing ? nil : text(column) }

  /// The bytes of a column of the current row; `nil` if the column is NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard type(column) == .bytes else { return nil }
    return withBytes(column) { span in span.indices.map { span[$0] } }
  }
}

import SondeSQLite

extension GuardState {
  /// The first alerts behind a number of which this is still to be done, whether or not their
  /// addresses were asked about.
  func alerts(
    for way: WaitingAlert.Way,
    behind number: Int64,
    atMost count: Int
  ) throws(SQLiteError) -> [WaitingAlert] {
    try database.rows(
      "SELECT number, event, way FROM alerts WHERE number > ? AND way & ? <> 0 ORDER BY number LIMIT ?",
      [.number(number), .number(Int64(way.rawValue)), .number(Int64(count))]
    ) { row in
      let bytes = row.withBytes(1) { bytes in bytes.indices.map { bytes[$0] } }
      let way = WaitingAlert.Way(rawValue: Int(row.number(2)))
      return WaitingAlert(number: row.number(0), event: bytes, way: way)
    }
  }

  /// Forgets destinations that are no more, beside stdout.
  func limitAlerts(to destinations: WaitingAlert.Way) throws(SQLiteError) {
    let ways: WaitingAlert.Way = destinations.union([.unplaced, .printed])
    try transaction { () throws(SQLiteError) in
      try database.run("UPDATE alerts SET way = way & ?", [.number(Int64(ways.rawValue))])
      try database.execute("DELETE FROM alerts WHERE way & 30 = 0")
    }
  }

  /// Whether every alert was handed over, up to a number perhaps not to the queues of webhooks.
  func hasNoAlerts(triedUpTo number: Int64) throws(SQLiteError) -> Bool {
    let waiting = try database.rows(
      "SELECT number FROM alerts WHERE number > ? OR way <> ? LIMIT 1",
      [.number(number), .number(Int64(WaitingAlert.Way.queued.rawValue))]
    ) { $0.number(0) }
    return waiting.isEmpty
  }

  /// Adds an alert to hand over, with a number above those of all others that this process has seen.
  func add(_ event: [UInt8], _ way: WaitingAlert.Way) throws(SQLiteError) {
    let number = lastAlert + 1
    try database.run(
      "INSERT INTO alerts(number, event, way) VALUES (?, ?, ?)",
      [.number(number), .bytes(event), .number(Int64(way.rawValue))]
    )
    lastAlert = number
  }

  /// Notes that the addresses of alerts were asked about, and sets the results.
  func place(_ alerts: [(alert: WaitingAlert, event: [UInt8]?)]) throws(SQLiteError) {
    try transaction(durable: false) { () throws(SQLiteError) -> Void in
      for (alert, event) in alerts {
        try database.run(
          "UPDATE alerts SET event = ?, way = way & ~? WHERE number = ?",
          [
            .bytes(event ?? alert.event), .number(Int64(WaitingAlert.Way.unplaced.rawValue)),
            .number(alert.number),
          ]
        )
      }
    }
  }

  /// Notes that alerts were handed to a destination, all for it that there were in between, and
  /// forgets those that have been handed to the last one.
  func settle(_ alerts: [WaitingAlert], for way: WaitingAlert.Way) throws(SQLiteError) {
    guard let first = alerts.first?.number, let last = alerts.last?.number else { return }
    // If the power fails, they go there again, with the same IDs.
    try transaction(durable: false) { () throws(SQLiteError) in
      try database.run(
        "UPDATE alerts SET way = way & ~? WHERE number BETWEEN ? AND ?",
        [.number(Int64(way.rawValue)), .number(first), .number(last)]
      )
      try database.run(
        "DELETE FROM alerts WHERE number BETWEEN ? AND ? AND way & ~? = 0",
        [.number(first), .number(last), .number(Int64(WaitingAlert.Way.unplaced.rawValue))]
      )
    }
  }

  /// Counts an alert in its hour; returns its number there, from 1.
  func count(inHourOf time: Int64) throws(SQLiteError) -> Int {
    let hour = (time - (time < 0 ? 3_599_999 : 0)) / 3_600_000
    try database.run(
      "INSERT INTO hours VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
      [.number(hour)]
    )
    let counts = try database.rows("SELECT count FROM hours WHERE hour = ?", [.number(hour)]) {
      Int($0.number(0))
    }
    // Lines come in about the order of their times.
    try database.run("DELETE FROM hours WHERE hour < ?", [.number(hour - 10_000)])
    return counts.first ?? 1
  }
}

/// An alert that is to be handed over.
package struct WaitingAlert: Sendable {
  /// What is still to be done with it.
  package struct Way: OptionSet, Sendable {
    package let rawValue: Int
    /// Its address is to be asked about.
    package static let unplaced = Way(rawValue: 1)
    /// It is to be printed.
    package static let printed = Way(rawValue: 2)
    /// It is to be added to the queues of webhooks.
    package static let queued = Way(rawValue: 4)
    /// It is to be raised by the first alarm of this machine, or the second.
    package static let first = Way(rawValue: 8)
    package static let second = Way(rawValue: 16)
    package init(rawValue: Int) { self.rawValue = rawValue }
  }

  /// The largest number that is asked about or handed over together.
  static let mostAtOnce = 1024

  let number: Int64
  /// The event in JSON.
  package let event: [UInt8]
  package let way: Way
}

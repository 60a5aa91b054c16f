package import SondeSQLite

extension GuardState {
  /// The first alert behind a number that was not handed to a destination; `nil` for none, or while its
  /// address is asked about.
  func alert(
    for destination: WaitingAlert.Way,
    behind number: Int64
  ) throws(SQLiteError) -> WaitingAlert? {
    let first = try alerts(
      "SELECT number, event, way FROM alerts WHERE number > ? AND way & ? <> 0 ORDER BY number LIMIT 1",
      [.number(number), .number(Int64(destination.rawValue))]
    ).first
    return first?.way.contains(.unplaced) == true ? nil : first
  }

  /// The first alert, whether or not its address was asked about.
  func firstAlert() throws(SQLiteError) -> WaitingAlert? {
    try alerts("SELECT number, event, way FROM alerts ORDER BY number LIMIT 1", []).first
  }

  /// The first alerts whose addresses were not asked about.
  func unplaced(atMost count: Int) throws(SQLiteError) -> [WaitingAlert] {
    try alerts(
      "SELECT number, event, way FROM alerts WHERE way & 1 <> 0 ORDER BY number LIMIT ?",
      [.number(Int64(count))]
    )
  }

  private func alerts(
    _ query: StaticString,
    _ values: [BoundValue]
  ) throws(SQLiteError) -> [WaitingAlert] {
    try database.rows(query, values) { row in
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

  /// Whether every alert was handed over.
  func hasNoAlerts() throws(SQLiteError) -> Bool {
    try database.number("SELECT number FROM alerts LIMIT 1") == nil
  }

  /// Adds an alert to hand over.
  func add(_ event: [UInt8], _ way: WaitingAlert.Way) throws(SQLiteError) {
    try database.run(
      "INSERT INTO alerts(event, way) VALUES (?, ?)",
      [.bytes(event), .number(Int64(way.rawValue))]
    )
  }

  /// Notes that the address of an alert was asked about, and sets the result.
  func place(_ alert: WaitingAlert, _ event: [UInt8]?) throws(SQLiteError) {
    try transaction(durable: false) { () throws(SQLiteError) -> Void in
      try database.run(
        "UPDATE alerts SET event = ?, way = way & ~? WHERE number = ?",
        [
          .bytes(event ?? alert.event), .number(Int64(WaitingAlert.Way.unplaced.rawValue)),
          .number(alert.number),
        ]
      )
    }
  }

  /// Notes that an alert was handed to a destination, and forgets it after the last one.
  package func settle(_ alert: WaitingAlert, for way: WaitingAlert.Way) throws(SQLiteError) {
    // If the power fails, it goes there again, with the same ID.
    try transaction(durable: false) { () throws(SQLiteError) in
      try database.run(
        "UPDATE alerts SET way = way & ~? WHERE number = ?",
        [.number(Int64(way.rawValue)), .number(alert.number)]
      )
      try database.run(
        "DELETE FROM alerts WHERE number = ? AND way & ~? = 0",
        [.number(alert.number), .number(Int64(WaitingAlert.Way.unplaced.rawValue))]
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

  let number: Int64
  /// The event in JSON.
  package let event: [UInt8]
  package let way: Way
}

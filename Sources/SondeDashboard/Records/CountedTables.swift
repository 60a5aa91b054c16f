/// Cached counts of the tables that were used last.
struct CountedTables<Value: Sendable>: Sendable {
  /// The maximum number of cached tables.
  private static var mostTables: Int { 4 }

  /// While a scan runs, counts stay valid for this multiple of the time that counting took.
  private static var patience: Int { 10 }

  private struct Count {
    let path: String
    let revision: Int
    let last: Int64
    let goodUntil: ContinuousClock.Instant
    let value: Value
  }

  private var counts: [Count] = []

  /// The time for which counts stay valid that took some time, while rows change.
  static func validity(ofWhatTook time: Duration) -> Duration { max(.seconds(1), time * patience) }

  /// The counts of a table, possibly a little old; `nil` if its rows may have changed since.
  func value(of table: ScanTable, upTo last: Int64) -> Value? {
    let known = counts.first { $0.path == table.path && $0.revision == table.revision }
    guard let known,
      known.last == last && !table.isRewritten || table.isChanging && .now < known.goodUntil
    else { return nil }
    return known.value
  }

  /// The last counts of a table, of some of its first rows.
  func latest(of table: ScanTable) -> Value? {
    counts.first { $0.path == table.path && $0.revision == table.revision }?.value
  }

  /// Keeps the counts of a table, which took some time.
  mutating func keep(_ value: Value, of table: ScanTable, upTo last: Int64, took: Duration) {
    counts.removeAll { $0.path == table.path }
    counts.append(
      Count(
        path: table.path,
        revision: table.revision,
        last: last,
        goodUntil: .now + Self.validity(ofWhatTook: took),
        value: value
      )
    )
    if counts.count > Self.mostTables { counts.removeFirst() }
  }
}

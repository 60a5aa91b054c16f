/// Cached counts of the tables that were used last.
struct CountedTables<Value> {
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

  /// The counts of a table, possibly a little old; counted again if its rows may have changed.
  mutating func value<E>(
    of table: ScanTable,
    upTo last: Int64,
    _ count: () throws(E) -> Value
  ) throws(E) -> Value {
    let begin = ContinuousClock.now
    let known = counts.first { $0.path == table.path && $0.revision == table.revision }
    if let known, known.last == last || table.isChanging && begin < known.goodUntil {
      return known.value
    }
    let value = try count()
    let time = max(.seconds(1), (.now - begin) * Self.patience)
    counts.removeAll { $0.path == table.path }
    counts.append(
      Count(
        path: table.path,
        revision: table.revision,
        last: last,
        goodUntil: .now + time,
        value: value
      )
    )
    if counts.count > Self.mostTables { counts.removeFirst() }
    return value
  }
}

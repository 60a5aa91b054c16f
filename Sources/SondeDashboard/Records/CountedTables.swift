/// What was counted in the tables that were looked at last.
struct CountedTables<Value> {
  /// The tables that are kept.
  private static var mostTables: Int { 4 }

  /// How much longer than the counting took, what was counted while a scan is at work is good for.
  private static var patience: Int { 10 }

  private struct Count {
    let path: String
    let revision: Int
    let last: Int64
    let goodUntil: ContinuousClock.Instant
    let value: Value
  }

  private var counts: [Count] = []

  /// What there is to count in a table, counted anew where its rows may have changed.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - last: The number of its last row.
  ///   - count: Counts.
  /// - Returns: What was counted, now or a little earlier.
  /// - Throws: What `count` throws.
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

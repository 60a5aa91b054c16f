/// Values that expire, in bounded memory.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    var value: Value
    var changedAt: Duration
  }

  /// How long a value is kept after its last change.
  let lifetime: Duration

  /// The largest number of values; beyond it, the older half is dropped.
  let capacity: Int

  private var entries: [Key: Entry] = [:]

  init(lifetime: Duration, capacity: Int = 65_536) {
    (self.lifetime, self.capacity) = (lifetime, capacity)
  }

  var count: Int { entries.count }

  func find(_ key: Key, _ now: Duration) -> Value? {
    guard let entry = entries[key], now - entry.changedAt < lifetime else { return nil }
    return entry.value
  }

  /// Sets a value, or removes it if `nil`.
  mutating func set(_ key: Key, to value: Value?, _ now: Duration) {
    entries[key] = value.map { Entry(value: $0, changedAt: now) }
    if entries.count > capacity { shrink(now) }
  }

  private mutating func shrink(_ now: Duration) {
    entries = entries.filter { now - $0.value.changedAt < lifetime }
    guard entries.count > capacity / 2 else { return }
    let times = entries.values.map(\.changedAt).sorted()
    let median = times[times.count / 2]
    entries = entries.filter { $0.value.changedAt > median }
  }
}

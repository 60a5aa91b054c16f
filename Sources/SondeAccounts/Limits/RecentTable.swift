/// What is remembered of many for a while; memory is bounded however many there are.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    var value: Value
    var changedAt: Duration
  }

  /// How long a value is remembered after its last change.
  let lifetime: Duration

  /// The most that are remembered; beyond, the older half of them is forgotten.
  let capacity: Int

  private var entries: [Key: Entry] = [:]

  init(lifetime: Duration, capacity: Int = 65_536) {
    (self.lifetime, self.capacity) = (lifetime, capacity)
  }

  /// How many are remembered.
  var count: Int { entries.count }

  /// The value of a key; `nil` where nothing is remembered.
  func find(_ key: Key, _ now: Duration) -> Value? {
    guard let entry = entries[key], now - entry.changedAt < lifetime else { return nil }
    return entry.value
  }

  /// Remembers a value, or forgets the key where there is none.
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

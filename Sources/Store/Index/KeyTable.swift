/// Where the answers lie that no run of the index knows yet, by key.
///
/// Open addressing, at most half full; a place of 0 is a vacant slot.
struct KeyTable {
  private struct Slot {
    var key: Int64
    var place: Place
  }

  private var slots: [Slot] = []

  /// The number of keys.
  private(set) var count = 0

  /// Notes a place, in place of an older one.
  mutating func insert(_ key: Int64, _ place: Place) {
    if 2 * (count + 1) > slots.count { grow(to: max(1024, 2 * slots.count)) }
    let index = Self.index(of: key, in: slots.span)
    if slots[index].place == .none { count += 1 }
    slots[index] = Slot(key: key, place: place)
  }

  /// The place of a key.
  subscript(key: Int64) -> Place {
    if slots.isEmpty { return .none }
    return slots[Self.index(of: key, in: slots.span)].place
  }

  /// Forgets everything but keeps its memory.
  mutating func removeAll() {
    for index in slots.indices { slots[index].place = .none }
    count = 0
  }

  /// All keys in ascending order, and their places.
  func sorted() -> [(key: Int64, place: Place)] {
    var entries: [(key: Int64, place: Place)] = []
    entries.reserveCapacity(count)
    for slot in slots where slot.place != .none { entries.append((slot.key, slot.place)) }
    entries.sort { $0.key < $1.key }
    return entries
  }

  /// Makes room for so many keys at once.
  mutating func reserve(_ keys: Int) {
    var capacity = max(1024, slots.count)
    while capacity < 2 * keys { capacity *= 2 }
    if capacity > slots.count { grow(to: capacity) }
  }

  /// - Parameter capacity: A power of two.
  private mutating func grow(to capacity: Int) {
    let old = slots
    slots = [Slot](repeating: Slot(key: 0, place: .none), count: capacity)
    for slot in old where slot.place != .none {
      slots[Self.index(of: slot.key, in: slots.span)] = slot
    }
  }

  /// The slot of a key, or the vacant one where it would go; there always is one.
  @inline(__always)
  private static func index(of key: Int64, in slots: Span<Slot>) -> Int {
    let mask = slots.count &- 1
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    let product = UInt64(bitPattern: key) &* 0x9e37_79b9_7f4a_7c15
    var index = Int(truncatingIfNeeded: product >> 32 ^ product >> 48) & mask
    while slots[index].place != .none, slots[index].key != key { index = (index &+ 1) & mask }
    return index
  }
}

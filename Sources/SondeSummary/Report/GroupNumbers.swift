import SondeAddresses

/// Numbers combinations of values in the order in which they come.
struct GroupNumbers {
  private let width: Int
  /// The values of all combinations, one after the other.
  private var values: [Int64] = []
  private var slots = SlotIndex()
  private var count = 0

  /// Creates numbers for combinations of `width` values.
  init(width: Int) { self.width = width }

  /// The number of a combination; that of a new one is the count of those before it.
  mutating func number(of key: [Int64]) -> Int {
    precondition(key.count == width, "combinations have equally many values")
    var hasher = Hasher()
    for value in key { hasher.combine(value) }
    let hash = UInt32(truncatingIfNeeded: hasher.finalize())
    let known = slots.find(hash, orInsert: count) { number in
      for index in 0..<width where values[number &* width &+ index] != key[index] { return false }
      return true
    }
    if let known { return known }
    values += key
    count += 1
    return count - 1
  }
}

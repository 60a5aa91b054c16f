import SondeAddresses
import SondeRecords

/// Maps addresses, with what their lines claim and their periods, to their indices in a list.
///
/// It uses open addressing with the indices only; the subjects are in the list. The hash has a
/// random key, so that nobody can construct a log that collides.
struct AddressIndex: Sendable {
  /// The initial number of slots, always a power of two.
  private static let leastSlots = 1 << 12
  /// The number for no address.
  static let vacant = UInt32.max

  private var slots: [UInt32] = []
  private var count = 0
  private let key: (UInt64, UInt64)

  init() {
    var generator = SystemRandomNumberGenerator()
    key = (generator.next(), generator.next() | 1)
  }

  /// The number of a subject; `nil` if it has none.
  @inline(__always)
  func number(of key: SubjectKey, _ keyOf: (UInt32) -> SubjectKey?) -> UInt32? {
    guard count > 0 else { return nil }
    let number = slots[slot(of: key, keyOf)]
    return number == Self.vacant ? nil : number
  }

  /// The number of a subject; `new` is assigned if it has none.
  @inline(__always)
  mutating func number(
    of key: SubjectKey,
    orAdd new: UInt32,
    _ keyOf: (UInt32) -> SubjectKey?
  ) -> UInt32 {
    if 2 * count >= slots.count { grow(keyOf) }
    let slot = slot(of: key, keyOf)
    if slots[slot] != Self.vacant { return slots[slot] }
    slots[slot] = new
    count += 1
    return new
  }

  /// Removes all numbers, and keeps the memory unless it is unusually large and may be freed.
  mutating func removeAll(keepingCapacity: Bool = false) {
    guard count > 0 else { return }
    count = 0
    guard keepingCapacity || slots.count <= 4 * Self.leastSlots else { return slots = [] }
    for index in slots.indices { slots[index] = Self.vacant }
  }

  /// The slot of a subject, occupied or not.
  @inline(__always)
  private func slot(of subject: SubjectKey, _ keyOf: (UInt32) -> SubjectKey?) -> Int {
    let address = subject.address
    let product = (address.low ^ key.0 ^ subject.period.hash).multipliedFullWidth(by: key.1)
    let high = address.high ^ UInt64(subject.claims.rawValue)
    let mixed = (product.high ^ product.low ^ high).multipliedFullWidth(by: key.1)
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
    while slots[slot] != Self.vacant, keyOf(slots[slot]) != subject {
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  @inline(never)
  private mutating func grow(_ keyOf: (UInt32) -> SubjectKey?) {
    let numbers = slots.filter { $0 != Self.vacant }
    slots = [UInt32](repeating: Self.vacant, count: max(Self.leastSlots, 2 * slots.count))
    for number in numbers {
      guard let key = keyOf(number) else { continue }
      slots[slot(of: key, keyOf)] = number
    }
  }
}

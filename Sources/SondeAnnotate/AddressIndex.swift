import SondeAddresses
import SondeRecords

/// Maps addresses, each with the period of its answer, to their indices in a list.
///
/// It uses open addressing with the indices only; the addresses are in the list. The hash has a
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

  /// The number of an address; `nil` if it has none.
  @inline(__always)
  func number(of address: DatedAddress, _ addressOf: (UInt32) -> DatedAddress?) -> UInt32? {
    guard count > 0 else { return nil }
    let number = slots[slot(of: address, addressOf)]
    return number == Self.vacant ? nil : number
  }

  /// The number of an address; `new` is assigned if it has none.
  @inline(__always)
  mutating func number(
    of address: DatedAddress,
    orAdd new: UInt32,
    _ addressOf: (UInt32) -> DatedAddress?
  ) -> UInt32 {
    if 2 * count >= slots.count { grow(addressOf) }
    let slot = slot(of: address, addressOf)
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

  /// The slot of an address, occupied or not.
  @inline(__always)
  private func slot(of address: DatedAddress, _ addressOf: (UInt32) -> DatedAddress?) -> Int {
    let (low, high) = (address.address.low, address.address.high)
    let product = (low ^ key.0 ^ address.period.hash).multipliedFullWidth(by: key.1)
    let mixed = (product.high ^ product.low ^ high).multipliedFullWidth(by: key.1)
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
    while slots[slot] != Self.vacant, addressOf(slots[slot]) != address {
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  @inline(never)
  private mutating func grow(_ addressOf: (UInt32) -> DatedAddress?) {
    let numbers = slots.filter { $0 != Self.vacant }
    slots = [UInt32](repeating: Self.vacant, count: max(Self.leastSlots, 2 * slots.count))
    for number in numbers {
      guard let address = addressOf(number) else { continue }
      slots[slot(of: address, addressOf)] = number
    }
  }
}

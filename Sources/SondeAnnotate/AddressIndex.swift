import SondeAddresses

/// Finds the numbers that addresses have in a list.
///
/// Open addressing with the numbers alone: the addresses stand in the list. The hash is keyed at
/// random, so that no log can be made that collides.
struct AddressIndex: Sendable {
  /// The slots at the beginning, a power of two as ever.
  private static let leastSlots = 1 << 12
  /// The number of no address.
  static let vacant = UInt32.max

  private var slots: [UInt32] = []
  private var count = 0
  private let key: (UInt64, UInt64)

  /// Makes an index of an empty list.
  init() {
    var generator = SystemRandomNumberGenerator()
    key = (generator.next(), generator.next() | 1)
  }

  /// The number of an address; `nil` where it has none.
  @inline(__always)
  func number(of address: Address, _ addressOf: (UInt32) -> Address?) -> UInt32? {
    guard count > 0 else { return nil }
    let number = slots[slot(of: address, addressOf)]
    return number == Self.vacant ? nil : number
  }

  /// The number of an address.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - new: The number that it gets where it has none.
  ///   - addressOf: The address that has a number.
  /// - Returns: Its number.
  @inline(__always)
  mutating func number(
    of address: Address,
    orAdd new: UInt32,
    _ addressOf: (UInt32) -> Address?
  ) -> UInt32 {
    if 2 * count >= slots.count { grow(addressOf) }
    let slot = slot(of: address, addressOf)
    if slots[slot] != Self.vacant { return slots[slot] }
    slots[slot] = new
    count += 1
    return new
  }

  /// Forgets all, and keeps the room, unless it is much larger than usual and may go.
  mutating func removeAll(keepingCapacity: Bool = false) {
    guard count > 0 else { return }
    count = 0
    guard keepingCapacity || slots.count <= 4 * Self.leastSlots else { return slots = [] }
    for index in slots.indices { slots[index] = Self.vacant }
  }

  /// Where an address is, or would be.
  @inline(__always)
  private func slot(of address: Address, _ addressOf: (UInt32) -> Address?) -> Int {
    let product = (address.low ^ key.0).multipliedFullWidth(by: key.1)
    let mixed = (product.high ^ product.low ^ address.high).multipliedFullWidth(by: key.1)
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
    while slots[slot] != Self.vacant, addressOf(slots[slot]) != address {
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  @inline(never)
  private mutating func grow(_ addressOf: (UInt32) -> Address?) {
    let numbers = slots.filter { $0 != Self.vacant }
    slots = [UInt32](repeating: Self.vacant, count: max(Self.leastSlots, 2 * slots.count))
    for number in numbers {
      guard let address = addressOf(number) else { continue }
      slots[slot(of: address, addressOf)] = number
    }
  }
}

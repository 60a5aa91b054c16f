import SondeAddresses

/// Gives each address a number from 1 on, up to a limit, and numbers that are free to others.
///
/// It uses open addressing over a list of addresses: with their slots a million take 24 MB.
package struct AddressNumbers: Sendable {
  /// The number of all addresses beyond the limit.
  package static let others: UInt32 = 0

  private let most: Int
  private let key = AddressHash()
  /// By number.
  private var addresses = [Address(high: 0, low: 0)]
  /// Numbers; 0 is vacant.
  private var slots = [UInt32](repeating: 0, count: 1024)
  private var used = 0
  private var free: [UInt32] = []
  /// Link-local addresses with a zone (RFC 4007), which are rare.
  private var zoned: [Zoned: UInt32] = [:]
  private var zones: [UInt32: [UInt8]] = [:]

  private struct Zoned: Hashable {
    let address: Address
    let zone: [UInt8]
  }

  /// Creates an empty set of at most so many addresses.
  init(atMost most: Int) { self.most = most }

  /// The largest number that was given.
  var last: UInt32 { UInt32(addresses.count - 1) }

  func address(of number: UInt32) -> Address { addresses[Int(number)] }
  func zone(of number: UInt32) -> [UInt8]? { zones[number] }

  /// Whether a number stands for an address.
  func isGiven(_ number: UInt32, to address: Address, _ zone: [UInt8]?) -> Bool {
    number > 0 && number <= last && find(address, zone) == number
  }

  /// The number of an address; ``others`` if it is new and there are as many as allowed.
  mutating func number(of address: Address, _ zone: [UInt8]?) -> (number: UInt32, isNew: Bool) {
    if let known = find(address, zone) { return (known, false) }
    guard addresses.count - 1 - free.count < most else { return (Self.others, false) }
    let number = free.popLast() ?? UInt32(addresses.count)
    give(number, to: address, zone)
    return (number, true)
  }

  /// Restores a number that an address had.
  mutating func give(_ number: UInt32, to address: Address, _ zone: [UInt8]?) {
    while addresses.count <= Int(number) {
      if addresses.count < Int(number) { free.append(UInt32(addresses.count)) }
      // Grows to what is needed at most, for doubling would pass the limit.
      if addresses.count == addresses.capacity {
        addresses.reserveCapacity(min(2 * addresses.count, most + 1))
      }
      addresses.append(Address(high: 0, low: 0))
    }
    addresses[Int(number)] = address
    if let zone {
      zoned[Zoned(address: address, zone: zone)] = number
      zones[number] = zone
      return
    }
    if 4 * (used + 1) > 3 * slots.count { rebuild(2 * slots.count) }
    insert(number)
  }

  /// Frees numbers, which were given.
  mutating func remove(_ numbers: some Collection<UInt32>) {
    guard !numbers.isEmpty else { return }
    let gone = Set(numbers)
    for number in gone {
      guard let zone = zones.removeValue(forKey: number) else { continue }
      zoned[Zoned(address: addresses[Int(number)], zone: zone)] = nil
    }
    free += gone
    let left = slots.filter { $0 != 0 && !gone.contains($0) }
    slots = [UInt32](repeating: 0, count: slots.count)
    used = 0
    for number in left { insert(number) }
  }

  private func find(_ address: Address, _ zone: [UInt8]?) -> UInt32? {
    if let zone { return zoned[Zoned(address: address, zone: zone)] }
    var index = home(of: address)
    while slots[index] != 0 {
      if addresses[Int(slots[index])] == address { return slots[index] }
      index = index + 1 == slots.count ? 0 : index + 1
    }
    return nil
  }

  private mutating func insert(_ number: UInt32) {
    var index = home(of: addresses[Int(number)])
    while slots[index] != 0 { index = index + 1 == slots.count ? 0 : index + 1 }
    slots[index] = number
    used += 1
  }

  private mutating func rebuild(_ count: Int) {
    let numbers = slots.filter { $0 != 0 }
    slots = [UInt32](repeating: 0, count: count)
    used = 0
    for number in numbers { insert(number) }
  }

  private func home(of address: Address) -> Int {
    Int(truncatingIfNeeded: key.hash(of: address) >> 32) & (slots.count - 1)
  }
}

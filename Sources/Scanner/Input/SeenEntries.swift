import Addresses

/// The addresses that have had their record.
struct SeenEntries: Sendable {
  private var addresses = DistinctSet()
  private var zoned: Set<[UInt8]> = []

  /// Remembers an address; `false` when it is known.
  mutating func insert(_ address: Address) -> Bool { addresses.insert(address) }

  /// Remembers addresses, with a bit for each that was not known.
  mutating func insert(_ block: Span<Address>) -> UInt64 { addresses.insert(block) }

  /// Remembers an address with its zone; `false` when it is known.
  mutating func insert(_ address: Address, zone: Span<UInt8>) -> Bool {
    var key: [UInt8] = []
    address.append(to: &key)
    key.append(UInt8(ascii: "%"))
    for index in zone.indices { key.append(zone[index]) }
    return zoned.insert(key).inserted
  }
}

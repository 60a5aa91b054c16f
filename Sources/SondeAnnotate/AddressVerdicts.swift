import SondeAddresses
import SondeRecords

/// The verdicts about recent addresses before any request.
///
/// The memory is limited: when it is full, the collection is cleared.
struct AddressVerdicts: Sendable {
  /// The largest number of addresses.
  private static let limit = 1 << 18

  private var entries: [(address: Address, verdict: FilterVerdict)] = []
  private var index = AddressIndex()

  /// The verdict about an address; `nil` if it is not known.
  func verdict(of address: Address) -> FilterVerdict? {
    index.number(of: DatedAddress(address)) { DatedAddress(entries[Int($0)].address) }
      .map { entries[Int($0)].verdict }
  }

  /// Adds the verdict about an address that is not known.
  mutating func insert(_ verdict: FilterVerdict, of address: Address) {
    if entries.count == Self.limit {
      entries.removeAll(keepingCapacity: true)
      index.removeAll(keepingCapacity: true)
    }
    let new = UInt32(entries.count)
    _ = index.number(of: DatedAddress(address), orAdd: new) {
      DatedAddress(entries[Int($0)].address)
    }
    entries.append((address, verdict))
  }
}

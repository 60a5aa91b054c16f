import SondeAddresses
import SondeRecords

/// The verdicts about recent addresses before any request.
///
/// The memory is limited: when it is full, the collection is cleared.
struct AddressVerdicts: Sendable {
  /// The largest number of addresses.
  private static let limit = 1 << 18

  private var addresses: [Address] = []
  private var verdicts: [FilterVerdict] = []
  private var index = AddressIndex()

  /// The verdict about an address; `nil` if it is not known.
  func verdict(of address: Address) -> FilterVerdict? {
    index.number(of: address) { addresses[Int($0)] }.map { verdicts[Int($0)] }
  }

  /// Adds the verdict about an address that is not known.
  mutating func insert(_ verdict: FilterVerdict, of address: Address) {
    if addresses.count == Self.limit {
      addresses.removeAll(keepingCapacity: true)
      verdicts.removeAll(keepingCapacity: true)
      index.removeAll(keepingCapacity: true)
    }
    let new = UInt32(addresses.count)
    _ = index.number(of: address, orAdd: new) { addresses[Int($0)] }
    addresses.append(address)
    verdicts.append(verdict)
  }
}

import SondeAddresses
import SondeBlock
import SondeSummary

/// The hits of addresses, of which there may be a million.
struct BlockedAddresses: Sendable {
  /// The hits of an address.
  struct Counted: Sendable {
    var hits: AddressHits
    /// The hits that are good if none is bad.
    var neither: UInt64 = 0
    /// Where records say that it belongs.
    var profile: Profiles.ID?

    mutating func add(_ count: UInt64, _ verdict: HitJudge.Verdict) {
      switch verdict {
      case .bad: hits.bad += count
      case .good: hits.good += count
      case .neither: neither += count
      }
    }
  }

  private(set) var all: [Counted] = []
  private var slots = SlotIndex()
  private let hash = AddressHash()

  subscript(number: Int) -> Counted {
    get { all[number] }
    _modify { yield &all[number] }
  }

  /// The number of an address; `nil` if it has none.
  func known(_ address: Address) -> Int? {
    slots.find(UInt32(truncatingIfNeeded: hash.hash(of: address))) { [all] in
      all[$0].hits.address == address
    }
  }

  /// The number of an address, which it gets if it has none.
  mutating func number(of address: Address) -> Int {
    let hash = UInt32(truncatingIfNeeded: hash.hash(of: address))
    let place = all.count
    let known = slots.find(hash, orInsert: place) { all[$0].hits.address == address }
    if let known { return known }
    all.append(Counted(hits: AddressHits(address)))
    return place
  }
}

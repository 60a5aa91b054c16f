import SondeAddresses
import SondeRecords
import SondeTables

/// The announced network of an address, as in `15169 | 8.8.8.0/24 | US | arin | 2023-12-28`
/// (https://www.team-cymru.com/ip-asn-mapping).
struct AnnouncedRoute: Equatable {
  let network: Prefix
  /// The numbers of the autonomous systems that announce it.
  private(set) var origins: [String]
  let registry: String
  /// The day of the registry's allocation.
  let allocated: String

  /// The longest network in some texts that contains an address, with the origins of all texts
  /// about it; `nil` if there is none.
  init?(in texts: [String], about address: Address) {
    let routes = texts.compactMap { AnnouncedRoute($0, about: address) }
    guard let longest = routes.max(by: { $0.network.length < $1.network.length }) else {
      return nil
    }
    self = routes.first { $0.network == longest.network } ?? longest
    for route in routes where route.network == network {
      origins += route.origins.filter { !origins.contains($0) }
    }
  }

  /// Parses a text; `nil` if it is malformed or about other addresses.
  private init?(_ text: String, about address: Address) {
    let cells = text.split(separator: "|", omittingEmptySubsequences: false).map { cell in
      String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    guard cells.count >= 2 else { return nil }
    let halves = cells[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2, let start = Address(String(halves[0])), let length = Int(halves[1]),
      start.isIPv4 == address.isIPv4, 0...(address.isIPv4 ? 32 : 128) ~= length
    else { return nil }
    network = Prefix(holding: address, length: length)
    guard network.address == start else { return nil }
    let numbers = cells[0].split(separator: " ").map(String.init)
    origins = numbers.filter { UInt32($0).map { "\($0)" } == $0 }
    func cell(_ index: Int) -> String {
      index < cells.count ? cells[index].withoutControls.confined : ""
    }
    (registry, allocated) = (cell(3), cell(4))
  }
}

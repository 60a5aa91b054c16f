import SondeAddresses
import SondeLists
import SondeProviders
import SondeRecords
public import SondeSources
import SondeTables

/// How many requests whose networks addresses are in would take, and how long that takes.
///
/// One request for each /24, or of IPv6 each /48, of which nothing is kept: fewer where a registry's
/// answers hold for more, and more where they hold for less.
public struct OwnerPlan: Sendable {
  /// What one registry would be asked.
  public struct Share: Sendable, Equatable {
    /// Its name; `nil` for all together where IANA's file, which tells them apart, is not there.
    public let registry: String?
    /// The requests.
    public let requests: Int
    /// The least time that they take; `nil` where it is not known whom they go to.
    public let duration: Duration?
  }

  private let places: OwnerPlaces
  private let reuse: OwnerReuse
  private let kept: KeptOwners
  private let directories: (ipv4: RegistryDirectory?, ipv6: RegistryDirectory?)
  /// The lowest addresses of the blocks that are counted, or known.
  private var seen = DistinctSet()
  private var requests: [Registry?: Int] = [:]

  /// Plans for the registries; nothing is asked.
  ///
  /// - Parameters:
  ///   - places: Who would be asked where.
  ///   - reuse: For which addresses besides its own an answer holds.
  ///   - memory: Where earlier runs have kept answers.
  public init(at places: OwnerPlaces, reuse: OwnerReuse, keptIn memory: SourceMemory) {
    (self.places, self.reuse) = (places, reuse)
    kept = KeptOwners(in: memory, mirror: places.mirror, reuse: reuse)
    func directory(_ list: PublishedList) -> RegistryDirectory? {
      places.folder?.read(list).flatMap { try? RegistryDirectory(parsing: $0.body) }
    }
    directories = (directory(.registriesIPv4), directory(.registriesIPv6))
  }

  /// What each registry would be asked, the slowest first.
  public var shares: [Share] {
    let shares = requests.map { registry, count in
      let allowance = registry.map { places.allowance($0) }
      return Share(
        registry: registry?.name,
        requests: count,
        duration: allowance.map { $0.windows(before: count) }
      )
    }
    return shares.sorted {
      ($0.duration ?? .zero, $0.requests, $1.registry ?? "")
        > ($1.duration ?? .zero, $1.requests, $0.registry ?? "")
    }
  }

  /// Counts some addresses.
  mutating func count(_ addresses: [Address]) async {
    var blocks: [Prefix: [Address]] = [:]
    for address in addresses where address.specialPurpose == nil {
      let block = reuse.block(of: address)
      if blocks[block] != nil || seen.insert(block.address) {
        blocks[block, default: []].append(address)
      }
    }
    var known = KnownOwners(reuse: reuse)
    for answer in await kept.answers(in: Array(blocks.keys)) { known.note(answer) }
    for (block, addresses) in blocks where addresses.contains(where: { known.match($0) == nil }) {
      count(block.address)
    }
  }

  /// Counts the request about an address, unless not even IANA knows whom to ask.
  private mutating func count(_ address: Address) {
    guard let directory = address.isIPv4 ? directories.ipv4 : directories.ipv6 else {
      requests[nil, default: 0] += 1
      return
    }
    guard let service = directory.url(for: address),
      let route = RegistryRoute(to: service, about: address, mirror: places.mirror)
    else { return }
    requests[route.registry, default: 0] += 1
  }
}

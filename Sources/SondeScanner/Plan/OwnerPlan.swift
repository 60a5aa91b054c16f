import SondeAddresses
import SondeLists
import SondeProviders
import SondeRecords
public import SondeSources
import SondeTables

/// The number of requests to registries, and the minimum time.
///
/// One request is counted per /24, or IPv6 /48, without a stored answer: fewer are needed if
/// answers apply to more addresses, and more if to fewer.
public struct OwnerPlan: Sendable {
  /// The requests to one registry.
  public struct Share: Sendable, Equatable {
    /// Its name; `nil` for all together if IANA's file is missing.
    public let registry: String?
    /// The number of requests.
    public let requests: Int
    /// The minimum time; `nil` if the registry is unknown.
    public let duration: Duration?
  }

  private let places: OwnerPlaces
  private let reuse: OwnerReuse
  private let kept: KeptOwners
  private let directories: (ipv4: RegistryDirectory?, ipv6: RegistryDirectory?)
  /// The lowest addresses of the blocks that are counted or known.
  private var seen = DistinctSet()
  private var requests: [Registry?: Int] = [:]

  /// Creates a plan, without asking any registry.
  ///
  /// - Parameters:
  ///   - places: The URLs of the registries.
  ///   - reuse: The addresses to which an answer applies.
  ///   - memory: The store of earlier answers.
  public init(at places: OwnerPlaces, reuse: OwnerReuse, keptIn memory: SourceMemory) {
    (self.places, self.reuse) = (places, reuse)
    kept = KeptOwners(in: memory, mirror: places.mirror, reuse: reuse)
    func directory(_ list: PublishedList) -> RegistryDirectory? {
      places.folder?.read(list).flatMap { try? RegistryDirectory(parsing: $0.body) }
    }
    directories = (directory(.registriesIPv4), directory(.registriesIPv6))
  }

  /// The requests per registry, the slowest first.
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

  /// Counts the request about an address, unless IANA lists no registry for it.
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

import SondeAddresses
import SondeCatalog
import SondeLists
import SondeProviders
import SondeRecords
import SondeTables

extension AskedSource {
  static let owner = AskedSource(
    countsRequests: true,
    open: { try OwnerSource(at: $0.registries(), reuse: $0.ownerReuse, $1) },
    plan: { try OwnerPlan(at: $0.registries(), reuse: $0.ownerReuse, keptIn: $1) }
  )
}

/// The number of requests to registries, and the minimum time.
///
/// One request is counted per /24, or IPv6 /48, without a stored answer: fewer are needed if
/// answers apply to more addresses, and more if to fewer.
struct OwnerPlan: SourcePlan {
  private let places: OwnerPlaces
  private let reuse: OwnerReuse
  private let kept: KeptOwners
  private let directories: (ipv4: RegistryDirectory?, ipv6: RegistryDirectory?)
  /// The lowest addresses of the blocks that are counted or known.
  private var seen = DistinctSet()
  private var requests: [Registry?: Int] = [:]

  /// Creates a plan, without asking any registry.
  init(at places: OwnerPlaces, reuse: OwnerReuse, keptIn memory: SourceMemory) {
    (self.places, self.reuse) = (places, reuse)
    kept = KeptOwners(in: memory, mirror: places.mirror, reuse: reuse)
    func directory(_ list: PublishedList) -> RegistryDirectory? {
      places.folder?.read(list).flatMap { try? RegistryDirectory(parsing: $0.body) }
    }
    directories = (directory(.registriesIPv4), directory(.registriesIPv6))
  }

  /// All requests with the slowest registry's time, then those to each registry, the slowest first.
  var lines: [SourcePlanLine] {
    var rows: [(registry: String?, count: Int, time: Duration?)] = []
    for (registry, count) in requests {
      let time = registry.map { places.allowance($0).windows(before: count) }
      rows.append((registry?.name, count, time))
    }
    rows.sort {
      ($0.time ?? .zero, $0.count, $1.registry ?? "")
        > ($1.time ?? .zero, $1.count, $0.registry ?? "")
    }
    let parts = rows.compactMap { row in
      row.registry.map {
        SourcePlanLine($0, isPart: true, questions: row.count, Self.time(row.time))
      }
    }
    let total = rows.reduce(0) { $0 + $1.count }
    let time = rows.first.map { Self.time($0.time) } ?? .nothing
    return [SourcePlanLine("owner", questions: total, time)] + parts
  }

  private static func time(_ duration: Duration?) -> SourcePlanLine.Time {
    let reason = "IANA's list of registries is not there yet"
    return duration.map { .atLeast($0) } ?? .unknown(reason)
  }

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

import SondeAddresses
public import SondeNames
public import SondeSources

/// How many addresses a resolver would be asked about, and how long that takes at least.
public struct NamePlan: Sendable {
  /// The addresses whose names are not kept.
  public private(set) var addresses = 0
  /// The most questions a second; `nil` where the resolver's answers alone set the pace.
  public let rate: Int?

  private let asksPrivate: Bool
  private let kept: KeptNames

  /// Plans for a resolver; nothing is asked.
  ///
  /// - Parameters:
  ///   - place: Who would be asked.
  ///   - asksPrivate: Whether about private addresses, too.
  ///   - memory: Where earlier runs have kept names.
  /// - Throws: `NameError` where no resolver can be had.
  public init(
    asking place: ResolverPlace,
    aboutPrivate asksPrivate: Bool,
    keptIn memory: SourceMemory
  ) throws {
    let servers = try NameResolver.servers(at: place)
    let isPublic = servers.contains { $0.address.isPublic }
    rate = isPublic ? NameResolver.mostPerSecond : nil
    kept = KeptNames(of: servers, in: memory)
    self.asksPrivate = asksPrivate
  }

  /// The least time that it takes: each name that is found is one more question; `nil` where no pace is
  /// kept.
  public var duration: Duration? {
    rate.map { .seconds((Double(addresses) / Double($0)).rounded(.up)) }
  }

  /// Counts some addresses, each of which comes once.
  mutating func count(_ addresses: [Address]) async {
    let asked = addresses.filter { $0.specialPurpose == nil || asksPrivate && $0.isPrivate }
    self.addresses += asked.count - (await kept.names(of: asked).count)
  }
}

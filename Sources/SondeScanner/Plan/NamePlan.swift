import SondeAddresses
public import SondeNames
public import SondeSources

/// The number of addresses a resolver would be asked about, and the minimum time.
public struct NamePlan: Sendable {
  /// The number of addresses whose names are not stored.
  public private(set) var addresses = 0
  /// The largest number of questions per second; `nil` if only the resolver's answers set the pace.
  public let rate: Int?

  private let asksPrivate: Bool
  private let kept: KeptNames

  /// Creates a plan for a resolver, without asking it.
  ///
  /// - Parameters:
  ///   - place: The resolver.
  ///   - asksPrivate: Whether to count private addresses, too.
  ///   - memory: The store of earlier names.
  /// - Throws: `NameError` if there is no resolver.
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

  /// The minimum time, as each name found requires one more question; `nil` without a limited pace.
  public var duration: Duration? {
    rate.map { .seconds((Double(addresses) / Double($0)).rounded(.up)) }
  }

  /// Counts distinct addresses.
  mutating func count(_ addresses: [Address]) async {
    let asked = addresses.filter { $0.specialPurpose == nil || asksPrivate && $0.isPrivate }
    self.addresses += asked.count - (await kept.names(of: asked).count)
  }
}

import SondeAddresses

/// The requests of the sources for the entries of a scan.
public struct SourcePlans: Sendable {
  /// For names; `nil` if they are not requested.
  public var names: NamePlan?
  /// For owners; `nil` if they are not requested.
  public var owner: OwnerPlan?

  /// Creates plans without sources.
  public init() {}

  /// Counts distinct addresses.
  mutating func count(_ addresses: [Address]) async {
    await names?.count(addresses)
    await owner?.count(addresses)
  }
}

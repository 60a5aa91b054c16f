import SondeAddresses

/// What the sources that are asked would be asked about the entries of a scan.
public struct SourcePlans: Sendable {
  /// For names; `nil` where they are not wanted.
  public var names: NamePlan?
  /// For owners; `nil` where they are not wanted.
  public var owner: OwnerPlan?

  /// Plans for no source.
  public init() {}

  /// Counts some addresses, each of which comes once.
  mutating func count(_ addresses: [Address]) async {
    await names?.count(addresses)
    await owner?.count(addresses)
  }
}

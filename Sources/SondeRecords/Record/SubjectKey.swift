public import SondeAddresses

/// What an answer is about: an address, the crawlers that the lines with it claim to come from, and
/// the period of their times.
///
/// Claims are empty unless a source depends on them, and the period is undated unless databases of
/// several days are read.
public struct SubjectKey: Hashable, Sendable {
  /// The address.
  public let address: Address
  /// What the lines claim.
  public var claims: CrawlerClaims
  /// The period of the time.
  public let period: BuildPeriod

  /// Creates what an answer is about.
  @inlinable @inline(__always)
  public init(
    _ address: Address,
    claiming claims: CrawlerClaims = [],
    in period: BuildPeriod = .undated
  ) {
    (self.address, self.claims, self.period) = (address, claims, period)
  }

  /// What tells it apart from others with the same address; 0 for most.
  @inlinable public var variant: UInt32 { UInt32(period.number) << 8 | UInt32(claims.rawValue) }

  /// The subject with an address and a ``variant``.
  public init(_ address: Address, variant: UInt32) {
    self.init(
      address,
      claiming: CrawlerClaims(rawValue: UInt8(truncatingIfNeeded: variant)),
      in: BuildPeriod(number: UInt16(truncatingIfNeeded: variant >> 8))
    )
  }
}

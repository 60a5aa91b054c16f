public import SondeAddresses

/// The hits of one address, by what they are.
public struct AddressHits: Hashable, Sendable {
  /// The address.
  public let address: Address
  /// The hits to be stopped.
  public var bad: UInt64
  /// The hits to be spared.
  public var good: UInt64
  /// Further hits, which count for neither.
  public var other: UInt64

  /// Creates the hits of an address.
  public init(_ address: Address, bad: UInt64 = 0, good: UInt64 = 0, other: UInt64 = 0) {
    (self.address, self.bad, self.good, self.other) = (address, bad, good, other)
  }
}

/// What a set of rules must reach.
public struct BlockLimits: Hashable, Sendable {
  /// What is counted.
  public enum Count: String, Sendable, CaseIterable {
    case hits
    /// An address with bad hits is one bad, one with good hits one good.
    case addresses
  }

  /// The lengths of prefixes, for each family.
  public struct Lengths: Hashable, Sendable {
    /// The length for IPv4, at most 32, and that for IPv6, at most 128.
    public var ipv4, ipv6: Int

    /// Creates a pair of lengths.
    public init(ipv4: Int, ipv6: Int) { (self.ipv4, self.ipv6) = (ipv4, ipv6) }

    /// The length that counts all 128 bits of an address of the same family.
    func mapped(for address: Address) -> Int { address.isIPv4 ? ipv4 + 96 : ipv6 }
  }

  /// The share of the bad hits to cover.
  public var cover = Share(thousandths: 950)
  /// The share of the good hits that may be touched.
  public var collateral = Share(thousandths: 1)
  /// The shortest prefixes, which hold the most addresses.
  public var shortest = Lengths(ipv4: 24, ipv6: 48)
  /// The longest prefixes.
  public var longest = Lengths(ipv4: 32, ipv6: 64)
  /// The largest number of rules; `nil` for any.
  public var mostRules: Int?
  /// What is counted.
  public var count = Count.hits

  /// Creates the default limits.
  public init() {}
}

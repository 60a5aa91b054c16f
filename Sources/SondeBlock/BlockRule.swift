public import SondeAddresses
public import SondeTables

/// A rule: a network to block, and what it stops and hurts.
public struct BlockRule: Hashable, Sendable {
  /// The network.
  public let prefix: Prefix
  /// The bad hits that it covers.
  public let bad: UInt64
  /// The good hits that it touches.
  public let good: UInt64
  /// The further hits in it, which are neither.
  public let other: UInt64
  /// The number of its bad addresses.
  public let addresses: Int
  /// The good addresses with the most hits, at most three.
  public let touched: [Touched]
  /// The bad address with the most hits.
  public let chief: Address
  /// The country and the network of ``chief``; empty where they are not known.
  public var origin = BlockOrigin()

  /// A good address, and its good hits.
  public struct Touched: Hashable, Sendable {
    /// The address.
    public let address: Address
    /// Its good hits.
    public let hits: UInt64
  }
}

/// Where an address belongs; texts are empty where that is not known.
public struct BlockOrigin: Hashable, Sendable {
  /// The country's code (ISO 3166-1).
  public var countryCode = ""
  /// The number of the autonomous system.
  public var asn: UInt32?
  /// The name of the autonomous system.
  public var asName = ""

  /// Creates an unknown origin.
  public init() {}

  /// Country and network as in `US, AS15169 Google LLC`.
  public var text: String {
    let system = [asn.map { "AS\($0)" } ?? "", asName].filter { !$0.isEmpty }
    return [countryCode, system.joined(separator: " ")].filter { !$0.isEmpty }
      .joined(separator: ", ")
  }
}

/// Why a bad address is not covered.
public enum LeftReason: String, Sendable, CaseIterable {
  /// Enough is covered.
  case enough
  /// No more good hits may be touched, or its shortest rule touches too many or a spared network.
  case good
  /// There may be no more rules.
  case rules
}

/// A set of rules with its figures.
public struct BlockPlan: Sendable {
  /// The rules, those with the most bad hits first.
  public var rules: [BlockRule] = []
  /// The sums.
  public var totals = Totals()
  /// The bad hits that are not covered, by reason.
  public var left: [LeftReason: UInt64] = [:]
  /// Those of them that even a rule of the longest length would cover only with addresses that no rule
  /// may touch.
  public var besideSpared: UInt64 = 0
  /// The bad addresses with the most hits that are not covered, at most ten.
  public var top: [Left] = []

  /// A bad address that is not covered.
  public struct Left: Hashable, Sendable {
    /// The address.
    public let address: Address
    /// Its bad hits, or 1 where addresses are counted.
    public let bad: UInt64
    /// Why it is not covered.
    public let why: LeftReason
  }

  /// The sums of a set of rules, in hits or in addresses (``BlockLimits/Count``).
  public struct Totals: Hashable, Sendable {
    /// The number of rules that no set as good can go below.
    public var atLeast = 0
    /// All that is bad where rules may be.
    public var bad: UInt64 = 0
    /// What of it is in the rules.
    public var badCovered: UInt64 = 0
    /// All that is good where rules may be.
    public var good: UInt64 = 0
    /// What of it is in the rules.
    public var goodTouched: UInt64 = 0
    /// The other hits in the rules.
    public var other: UInt64 = 0
    /// The bad hits of addresses that no rule may touch.
    public var never: UInt64 = 0
    /// The bad addresses in the rules.
    public var addresses = 0
    /// The number of IPv4 addresses in the rules.
    public var spanIPv4: UInt64 = 0
    /// The number of IPv6 networks of length 64 in the rules, rounded up.
    public var spanIPv6: UInt64 = 0
    /// Whether enough is covered within all limits.
    public var isMet = true
    /// When the rules end, in seconds since 1970 UTC; `nil` for never.
    public var expiresAt: Int64?
  }

  /// An empty set.
  public init() {}
}

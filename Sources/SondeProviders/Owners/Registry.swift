/// A registry of addresses, identified by the host of its RDAP service (RFC 9082).
///
/// The limits of the registries:
/// - LACNIC: 10 requests a minute and 1,000 an hour, "whichever is violated first" (LACNIC's RDAP
///   Service, GTER 41, May 2016); its answers say "Rate Limit is maxed at 10 queries per 1
///   minutes." (secynic/ipwhois #99). Ten a minute are at most 610 in any hour, so that the first
///   limit keeps the second.
/// - RIPE NCC: `/ip/` answers contain no personal data but the abuse contact, which does not count
///   against the limit (RIPE-NCC/whois, README.RDAP); 429 occurs nevertheless (#555), and repeated
///   blocks become permanent (db-wg, May 2024).
/// - AFRINIC: ten blocks within three months become one of a year (its whois, afrinic.net, "What is
///   the daily WHOIS query limit?").
/// - ARIN, APNIC: no reliable information was found.
///
/// Without a known limit, it is one request per second, and limits are never probed.
public struct Registry: Hashable, Sendable {
  /// The regional Internet registries (RFC 7020 §3).
  public static let regional = [
    Registry(name: "arin", domain: "arin.net"),
    Registry(name: "ripe", domain: "ripe.net"),
    Registry(name: "apnic", domain: "apnic.net"),
    Registry(name: "lacnic", domain: "lacnic.net", requests: 10, seconds: 60),
    Registry(name: "afrinic", domain: "afrinic.net"),
  ]

  /// The longest wait accepted from a registry.
  ///
  /// It cannot be forged on the path, since registries are asked over HTTPS. It is respected
  /// whatever the form of the answer, since clients that continue to ask are blocked.
  public static let believableWait = BelievableWait.atMost(.seconds(3600))

  /// The registry's name; the host if it is not regional.
  public let name: String

  /// The domain of the registry's hosts.
  private let domain: String
  private let requests: Int
  private let seconds: Int

  /// The limit on requests in any period of this length.
  public var allowance: Allowance { Allowance(requests: requests, per: .seconds(seconds)) }

  /// Whether it is a regional registry.
  public var isRegional: Bool { Self.regional.contains(self) }

  private init(name: String, domain: String, requests: Int = 1, seconds: Int = 1) {
    (self.name, self.domain, self.requests, self.seconds) = (name, domain, requests, seconds)
  }

  /// The regional registry of a host, including a national registry's host below its domain, such
  /// as `jpnic.rdap.apnic.net`; `nil` for any other host.
  public init?(regionalHost host: String) {
    let host = host.lowercased()
    let found = Self.regional.first { host == $0.domain || host.hasSuffix("." + $0.domain) }
    guard let found else { return nil }
    self = found
  }

  /// The registry of a host.
  public init(host: String) {
    self = Registry(regionalHost: host) ?? Registry(name: host.lowercased(), domain: host)
  }

  /// The registry with a name from ``name``.
  public init(name: String) {
    let found = Self.regional.first { $0.name == name }
    self = found ?? Registry(name: name, domain: name)
  }
}

/// A registry of addresses, known by the host of its RDAP service (RFC 9082).
///
/// How much a registry may be asked:
/// - LACNIC: 10 requests a minute and 1,000 an hour, "whichever is violated first" (LACNIC's RDAP
///   Service, GTER 41, May 2016); its answers say "Rate Limit is maxed at 10 queries per 1 minutes."
///   (secynic/ipwhois #99). Ten a minute are at most 610 in any hour, so that the first limit keeps the
///   second.
/// - RIPE NCC: `/ip/` answers have no personal data but the abuse contact, and spend nothing of the limit
///   on that (RIPE-NCC/whois, README.RDAP); 429 is answered all the same (#555), and repeated blocks
///   become permanent (db-wg, May 2024).
/// - AFRINIC: ten blocks within three months become one of a year (its whois, afrinic.net,
///   "What is the daily WHOIS query limit?").
/// - ARIN, APNIC: nothing that could be trusted was found.
///
/// Where no limit of requests is known it is one a second, and no limit is ever probed.
public struct Registry: Hashable, Sendable {
  /// The regional registries (RFC 7020 §3).
  public static let regional = [
    Registry(name: "arin", domain: "arin.net"),
    Registry(name: "ripe", domain: "ripe.net"),
    Registry(name: "apnic", domain: "apnic.net"),
    Registry(name: "lacnic", domain: "lacnic.net", requests: 10, seconds: 60),
    Registry(name: "afrinic", domain: "afrinic.net"),
  ]

  /// The longest wait that a registry is believed to ask for.
  ///
  /// Nobody on the path can write one: registries are asked over HTTPS. What they say is kept whatever
  /// the form of the answer, since who goes on asking is shut out.
  public static let believableWait = BelievableWait.atMost(.seconds(3600))

  /// What it is called; the host of one that is not regional.
  public let name: String

  /// The domain of its hosts.
  private let domain: String
  private let requests: Int
  private let seconds: Int

  /// The most requests that it is asked in any stretch of time of so long.
  public var allowance: Allowance { Allowance(requests: requests, per: .seconds(seconds)) }

  /// Whether it is one of the regional ones.
  public var isRegional: Bool { Self.regional.contains(self) }

  private init(name: String, domain: String, requests: Int = 1, seconds: Int = 1) {
    (self.name, self.domain) = (name, domain)
    (self.requests, self.seconds) = (requests, seconds)
  }

  /// The regional registry of a host, also where that is a national registry's below its domain, such as
  /// `jpnic.rdap.apnic.net`; `nil` for any other host.
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

  /// The registry of a name, as ``name`` gave it.
  public init(name: String) {
    let found = Self.regional.first { $0.name == name }
    self = found ?? Registry(name: name, domain: name)
  }
}

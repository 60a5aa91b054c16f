/// A list of networks that somebody publishes at a URL, as `sonde tables update` fetches it.
public struct PublishedList: Sendable, Hashable {
  /// What it is kept as.
  public let name: String
  /// What it is called before people, who know it by the source that it belongs to.
  public let title: String
  /// Where it is published, always by HTTPS.
  public let host: String
  /// The path of its URL.
  public let path: String
  /// The columns beside its networks; none of a bare list.
  package let columns: [String]

  /// Whether it is one of IANA's files that say who is asked about which networks, and no table.
  package let isDirectory: Bool

  private init(
    _ name: String,
    as title: String? = nil,
    _ host: String,
    _ path: String,
    columns: [String] = []
  ) {
    (self.name, self.host, self.path, self.columns) = (name, host, path, columns)
    (self.title, isDirectory) = (title ?? name, false)
  }

  /// Makes one of IANA's files for RDAP (RFC 9224 §13: `https://data.iana.org/rdap/`).
  package init(directory name: String, path: String) {
    (self.name, title, self.path, columns, isDirectory) = (name, name, path, [], true)
    host = "data.iana.org"
  }

  /// The values that a cloud's list has.
  package static let cloudColumns = ["service", "region"]

  /// https://docs.aws.amazon.com/vpc/latest/userguide/aws-ip-ranges.html; one prefix may stand there
  /// several times, as `AMAZON` and as the service that has it.
  static let aws = PublishedList(
    "aws",
    "ip-ranges.amazonaws.com",
    "/ip-ranges.json",
    columns: cloudColumns
  )

  /// Google's addresses that its cloud gives to customers
  /// (https://cloud.google.com/vpc/docs/configure-private-google-access, "IP address ranges").
  static let googleCloud = PublishedList(
    "cloud",
    as: "gcp",
    "www.gstatic.com",
    "/ipranges/cloud.json",
    columns: cloudColumns
  )

  /// All of Google's addresses; its own are these without ``googleCloud`` (the same page).
  static let google = PublishedList("goog", as: "google", "www.gstatic.com", "/ipranges/goog.json")

  /// Its addresses of both families, as https://www.cloudflare.com/ips/ names them.
  static let cloudflare = [
    PublishedList("cloudflare-v4", as: "cloudflare, IPv4", "www.cloudflare.com", "/ips-v4"),
    PublishedList("cloudflare-v6", as: "cloudflare, IPv6", "www.cloudflare.com", "/ips-v6"),
  ]

  /// The IPv4 addresses of exits; many connect by IPv6, so that an address that is not in it may be one.
  static let tor = PublishedList("tor", "check.torproject.org", "/torbulkexitlist")

  /// The URL, at its own place or at a mirror, where the host is the first part of the path.
  package func url(at base: String?, path: String) -> String {
    base.map { "\($0)/\(host)\(path)" } ?? "https://\(host)\(path)"
  }
}

/// A published list of networks, downloaded by `sonde tables update`.
public struct PublishedList: Sendable, Hashable {
  /// The name under which it is stored.
  public let name: String
  /// The name shown to people, who know the source that it belongs to.
  public let title: String
  /// The host of its URL, always with HTTPS.
  public let host: String
  /// The path of its URL.
  public let path: String
  /// The columns besides the networks; none for a bare list.
  package let columns: [ListColumn]
  /// The shortest time between two requests that its owner permits, in seconds.
  package let pause: Int64
  /// The terms of use that its owner states; `nil` if none are known.
  public let licence: String?

  /// Whether it is an IANA file that maps networks to RDAP servers, not a table.
  package let isDirectory: Bool

  private init(
    _ name: String,
    as title: String? = nil,
    _ host: String,
    _ path: String,
    columns: [ListColumn] = [],
    pause: Int64 = 0,
    licence: String? = nil
  ) {
    (self.name, self.host, self.path, self.columns) = (name, host, path, columns)
    (self.title, isDirectory) = (title ?? name, false)
    (self.pause, self.licence) = (pause, licence)
  }

  /// Creates the description of an IANA file for RDAP (RFC 9224 §13:
  /// `https://data.iana.org/rdap/`).
  package init(directory name: String, path: String) {
    (self.name, title, self.path, columns, isDirectory) = (name, name, path, [], true)
    (host, pause, licence) = ("data.iana.org", 0, nil)
  }

  /// Google's `scope` is a region; Azure's tags without a service begin with its name.
  package static let cloudColumns = [
    ListColumn(name: "service", members: ["service", "systemService"], firstWordOf: "name"),
    ListColumn(name: "region", members: ["region", "scope"]),
  ]

  /// https://docs.aws.amazon.com/vpc/latest/userguide/aws-ip-ranges.html; a prefix may be listed
  /// several times, as `AMAZON` and under its service.
  static let aws = PublishedList(
    "aws",
    "ip-ranges.amazonaws.com",
    "/ip-ranges.json",
    columns: cloudColumns
  )

  /// The addresses that Google Cloud assigns to customers
  /// (https://cloud.google.com/vpc/docs/configure-private-google-access, "IP address ranges").
  static let googleCloud = PublishedList(
    "cloud",
    as: "gcp",
    "www.gstatic.com",
    "/ipranges/cloud.json",
    columns: cloudColumns
  )

  /// All of Google's addresses; its own are these without ``googleCloud`` (same page).
  static let google = PublishedList("goog", as: "google", "www.gstatic.com", "/ipranges/goog.json")

  /// Cloudflare's addresses of both families, as listed at https://www.cloudflare.com/ips/.
  static let cloudflare = [
    PublishedList("cloudflare-v4", as: "cloudflare, IPv4", "www.cloudflare.com", "/ips-v4"),
    PublishedList("cloudflare-v6", as: "cloudflare, IPv6", "www.cloudflare.com", "/ips-v6"),
  ]

  /// The IPv4 addresses of exits; an address that is not listed may be an exit, too, since many
  /// connect by IPv6.
  static let tor = PublishedList("tor", "check.torproject.org", "/torbulkexitlist")

  /// The egress addresses of iCloud Private Relay, as a geofeed
  /// (https://developer.apple.com/icloud/prepare-your-network-for-icloud-private-relay).
  static let privateRelay = PublishedList(
    "private_relay",
    "mask-api.icloud.com",
    "/egress-ip-ranges.csv",
    columns: ["country_code", "region_code", "city"].map { ListColumn($0) }
  )

  /// Networks used by professional spammers and criminals, an object per line
  /// (https://www.spamhaus.org/blocklists/do-not-route-or-peer/); they may be fetched once an hour.
  static let drop = ["v4", "v6"].map { family in
    PublishedList(
      "drop-\(family)",
      as: "drop, IP\(family)",
      "www.spamhaus.org",
      "/drop/drop_\(family).json",
      columns: ["sblid", "rir"].map { ListColumn($0) },
      pause: 3_600,
      licence: "free of charge; credit is due to The Spamhaus Project"
    )
  }

  /// https://developers.google.com/search/docs/crawling-indexing/verifying-googlebot.
  static let googlebot = PublishedList(
    "googlebot",
    "developers.google.com",
    "/static/search/apis/ipranges/googlebot.json"
  )

  /// https://www.bing.com/webmasters/help/verify-bingbot-2195837f.
  static let bingbot = PublishedList("bingbot", "www.bing.com", "/toolbox/bingbot.json")

  /// https://platform.openai.com/docs/bots.
  static let gptbot = PublishedList("gptbot", "openai.com", "/gptbot.json")

  /// Lists for each of GitHub's services (https://docs.github.com/rest/meta).
  static let github = PublishedList(
    "github",
    "api.github.com",
    "/meta",
    columns: [ListColumn("list")]
  )

  /// https://www.fastly.com/documentation/reference/api/utils/public-ip-list/.
  static let fastly = PublishedList("fastly", "api.fastly.com", "/public-ip-list")

  /// https://docs.oracle.com/en-us/iaas/Content/General/Concepts/addressranges.htm.
  static let oracle = PublishedList(
    "oracle",
    "docs.oracle.com",
    "/en-us/iaas/tools/public_ip_ranges.json",
    columns: ["region", "tags"].map { ListColumn($0) }
  )

  /// Its own URL.
  public var url: String { url(at: nil, path: path) }

  /// The URL, or its equivalent at a mirror, where the host is the first part of the path.
  package func url(at base: String?, path: String) -> String {
    base.map { "\($0)/\(host)\(path)" } ?? "https://\(host)\(path)"
  }
}

/// A column of a published list: the first of some members of its JSON that has a value.
package struct ListColumn: Sendable, Hashable {
  package let name: String
  package let members: [String]
  /// The member whose text up to its first `.` is used if none of the others has a value.
  package let firstWordOf: String?

  /// The column of a member with its name.
  package init(_ name: String) { self.init(name: name, members: [name]) }

  package init(name: String, members: [String], firstWordOf: String? = nil) {
    (self.name, self.members, self.firstWordOf) = (name, members, firstWordOf)
  }
}

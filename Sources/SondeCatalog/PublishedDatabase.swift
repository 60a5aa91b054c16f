/// A database of places that its owner publishes, downloaded by `sonde tables update`; the provider
/// `local` reads it, and `--with` takes it by its name.
public struct PublishedDatabase: Sendable, Equatable {
  /// All of them, in the order in which `local` reads them.
  public static let all: [PublishedDatabase] = [geolite, dbip, ipinfoCountries]

  /// How an account is named to the owner, by the settings that have its secrets.
  public enum Credential: Sendable, Equatable {
    /// Basic authentication (RFC 7617).
    case basic(account: String, key: String)
    /// A bearer token (RFC 6750).
    case bearer(token: String)

    /// The settings.
    public var settings: [String] {
      switch self {
      case .basic(let account, let key): [account, key]
      case .bearer(let token): [token]
      }
    }
  }

  /// What its owner wants to be said wherever its data are shown.
  public struct Credit: Sendable, Equatable {
    /// The words.
    public let words: String
    /// The page that they lead to.
    public let link: String
  }

  /// The name, which is also that of its file.
  public let name: String
  /// The host of its URL, always with HTTPS.
  public let host: String
  /// How an account is named; `nil` if none is needed.
  public let credential: Credential?
  /// The terms of use.
  public let licence: String
  /// What is said with its data.
  public let credit: Credit
  /// The path of its URL, with ``month`` in place of the year and the month.
  private let path: String
  /// What the `database_type` in its metadata begins with, and what else is in it.
  private let type: [String]

  private static let month = "YYYY-MM"

  /// DB-IP's free database of cities (https://db-ip.com/db/download/ip-to-city-lite).
  ///
  /// There is a file for each month, which appears a day or so into it. The link is a condition of
  /// its licence.
  static let dbip = PublishedDatabase(
    name: "dbip",
    host: "download.db-ip.com",
    credential: nil,
    licence: "CC BY 4.0",
    credit: Credit(words: "IP Geolocation by DB-IP", link: "https://db-ip.com"),
    path: "/free/dbip-city-lite-\(month).mmdb.gz",
    // `DBIP-City-Lite`, as the package geoip2 (https://github.com/oschwald/geoip2-golang) lists it.
    type: ["DBIP-City", "Lite"]
  )

  /// MaxMind's free database of cities
  /// (https://dev.maxmind.com/geoip/updating-databases/#directly-downloading-databases).
  ///
  /// The answer is a redirect to another host, which needs no key.
  static let geolite = PublishedDatabase(
    name: "geolite",
    host: "download.maxmind.com",
    credential: .basic(account: "maxmind-account", key: "maxmind-key"),
    licence: "GeoLite End User License Agreement, https://www.maxmind.com/en/geolite/eula",
    credit: Credit(
      words: "This product includes GeoLite Data created by MaxMind",
      link: "https://www.maxmind.com"
    ),
    path: "/geoip/databases/GeoLite2-City/download?suffix=tar.gz",
    type: ["GeoLite2-City"]
  )

  /// IPinfo's free database of countries and systems (https://ipinfo.io/developers/lite-api,
  /// "Database download").
  ///
  /// A token may be sent as a bearer's (https://ipinfo.io/developers, "Authentication").
  static let ipinfoCountries = PublishedDatabase(
    name: "ipinfo_lite",
    host: "ipinfo.io",
    credential: .bearer(token: "ipinfo-token"),
    licence: "CC BY-SA 4.0",
    credit: Credit(words: "IP address data powered by IPinfo", link: "https://ipinfo.io"),
    path: "/data/ipinfo_lite.mmdb",
    // `ipinfo bundle_location_lite.mmdb` (https://github.com/oschwald/geoip2-golang/issues/137).
    type: ["ipinfo ", "lite"]
  )

  /// Its own URL, without any secret.
  public var url: String { "https://\(host)\(path)" }

  /// The terms of use with the credit, for people.
  public var terms: String { "\(licence); \(credit.words), \(credit.link)" }

  /// Whether a `database_type` is one that its name promises.
  package func isType(_ type: String) -> Bool {
    type.hasPrefix(self.type[0]) && self.type.allSatisfy(type.contains)
  }

  /// The URLs to try in order, at a mirror, where the host is the first part of the path.
  ///
  /// - Parameters:
  ///   - base: The mirror's URL; `nil` for the database's own.
  ///   - year: The year in UTC.
  ///   - month: The month in UTC, from 1.
  /// - Returns: One URL, or where there is a file for each month this month's and the one before's.
  package func urls(at base: String?, year: Int, month: Int) -> [String] {
    let start = base.map { "\($0)/\(host)" } ?? "https://\(host)"
    guard let place = path.firstRange(of: Self.month) else { return [start + path] }
    let before = month > 1 ? (year, month - 1) : (year - 1, 12)
    return [(year, month), before].map { year, month in
      let digits = month < 10 ? "0\(month)" : "\(month)"
      return start + path.replacingSubrange(place, with: "\(year)-\(digits)")
    }
  }

  /// Finds a database by its name.
  public init?(name: some StringProtocol) {
    guard let database = Self.all.first(where: { $0.name == name }) else { return nil }
    self = database
  }

  /// The database that lies at a path; `nil` unless that is in a folder of fetched tables.
  public init?(path: String) {
    let parts = path.split(separator: "/").suffix(3)
    guard parts.count == 3, parts.dropLast() == ["sonde", "tables"] else { return nil }
    self.init(name: parts[parts.endIndex - 1])
  }

  private init(
    name: String,
    host: String,
    credential: Credential?,
    licence: String,
    credit: Credit,
    path: String,
    type: [String]
  ) {
    (self.name, self.host, self.credential, self.path) = (name, host, credential, path)
    (self.licence, self.credit, self.type) = (licence, credit, type)
  }
}

extension String {
  fileprivate func replacingSubrange(_ range: Range<String.Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}

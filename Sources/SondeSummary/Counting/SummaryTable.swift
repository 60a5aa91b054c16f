import SondeRecords

/// A table of a summary: counts by a property of the addresses.
public struct SummaryTable: Sendable, Equatable {
  /// The property of a table, in the order of tables.
  public enum Kind: String, CaseIterable, Sendable {
    /// ISO 3166-1 alpha-2: key `US`, name `United States`.
    case country
    /// Autonomous systems: key `AS15169`, name `Google LLC`.
    case network
    /// Key `Mountain View, California, US` (its known parts), name `Mountain View`.
    case city
    /// The status of look-ups, as in records: `ok`, `reserved` …
    case status
    /// The provider, as in records: `ip-api`, `libloc` …
    case source
    /// Key `8.8.8.8`; the name describes it: `US, Mountain View, AS15169 Google LLC`.
    case address
    /// A timeline: key `2015-05-17T10:00Z`, name `17 May 2015, 10:00`.
    case hour
    /// A timeline: key `2015-05-17`, name `17 May 2015`.
    case day

    /// Whether the rows are in chronological order.
    public var isTimeline: Bool { self == .hour || self == .day }
  }

  /// Whether it tells people something: statuses if an answer is missing or an entry is invalid,
  /// sources if there are several.
  public var isOfInterest: Bool {
    switch kind {
    case .status:
      let wanted = [Status.failed, .networkLost, .invalid].map(\.name)
      return rows.contains { wanted.contains($0.key) }
    case .source: return rows.count { !$0.key.isEmpty } > 1
    case .country, .network, .city, .address, .hour, .day: return true
    }
  }

  /// The kind of the table.
  public let kind: Kind

  /// The rows: of a timeline in order, without gaps unless it is longer than 15,000 rows; otherwise
  /// ordered by hits, then by key, with missing values in a last row with an empty key.
  ///
  /// All rows are included, except that a table of addresses may be limited to the first
  /// ``leastAddresses`` or more.
  public var rows: [Row]

  /// The total number of rows, which exceeds ``rows`` only for addresses.
  public var count: Int

  /// The minimum limit of addresses in a report.
  public static let leastAddresses = 1000

  /// Creates a table; without a count, it is that of `rows`.
  public init(kind: Kind, rows: [Row], count: Int? = nil) {
    (self.kind, self.rows, self.count) = (kind, rows, count ?? rows.count)
  }
}

extension SummaryTable {
  /// One row of a table.
  public struct Row: Sendable, Equatable {
    /// The identifier of the row; empty for missing values.
    public var key: String

    /// The readable name; empty if the key is empty.
    public var name: String

    /// The distinct addresses; `nil` in a timeline.
    public var addresses: Int?

    /// The hits.
    public var hits: Int

    /// The share of all hits of the summary, from 0 to 1.
    public var share: Double

    /// The location of a city, if known; `nil` in other tables.
    public var place: Place?

    /// The country of a country, city or address, ISO 3166-1 alpha-2; `nil` if there is none.
    public var countryCode: String?

    /// The start of an hour or a day, in seconds since 1970 UTC; `nil` in other tables.
    public var start: Int64?

    /// Creates a row.
    public init(
      key: String,
      name: String,
      addresses: Int?,
      hits: Int,
      share: Double,
      place: Place? = nil,
      countryCode: String? = nil,
      start: Int64? = nil
    ) {
      (self.key, self.name, self.addresses) = (key, name, addresses)
      (self.hits, self.share, self.place) = (hits, share, place)
      (self.countryCode, self.start) = (countryCode, start)
    }
  }

  /// A place on the earth, in degrees, WGS 84.
  public struct Place: Sendable, Equatable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double

    /// Creates a place.
    public init(latitude: Double, longitude: Double) {
      (self.latitude, self.longitude) = (latitude, longitude)
    }
  }
}

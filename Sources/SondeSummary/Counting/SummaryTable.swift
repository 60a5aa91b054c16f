/// One table of a summary: what was counted, by something that the addresses have in common.
public struct SummaryTable: Sendable, Equatable {
  /// What a table counts by, in the order in which the tables stand.
  public enum Kind: String, CaseIterable, Sendable {
    /// ISO 3166-1 alpha-2: key `US`, name `United States`.
    case country
    /// Autonomous systems: key `AS15169`, name `Google LLC`.
    case network
    /// Key `Mountain View, California, US` (what there is of it), name `Mountain View`.
    case city
    /// How looking the addresses up ended, as in records: `ok`, `reserved` …
    case status
    /// Who answered, as in records: `ip-api`, `libloc` …
    case source
    /// Key `8.8.8.8`; the name says what is known of it: `US, Mountain View, AS15169 Google LLC`.
    case address
    /// A timeline: key `2015-05-17T10:00Z`, name `17 May 2015, 10:00`.
    case hour
    /// A timeline: key `2015-05-17`, name `17 May 2015`.
    case day

    /// Whether the rows follow one another in time.
    public var isTimeline: Bool { self == .hour || self == .day }
  }

  /// What the table counts by.
  public let kind: Kind

  /// The rows: of a timeline in its order, without gaps unless it is longer than 15,000 rows, else those with the most hits first and ties by key; what
  /// has no value is one row with an empty key, and the last one.
  ///
  /// Countries, networks, cities, statuses, sources and timelines are here in full; of the addresses
  /// there are at least the first ``leastAddresses``, if there are as many.
  public var rows: [Row]

  /// How many rows there are in all; more than in ``rows`` only where the table is of addresses.
  public var count: Int

  /// The addresses that a report has whatever is asked for, if there are as many.
  public static let leastAddresses = 1000

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - kind: What it counts by.
  ///   - rows: Its rows, in their order.
  ///   - count: How many there are in all; as many as `rows` where it is `nil`.
  public init(kind: Kind, rows: [Row], count: Int? = nil) {
    self.kind = kind
    self.rows = rows
    self.count = count ?? rows.count
  }
}

extension SummaryTable {
  /// One row of a table.
  public struct Row: Sendable, Equatable {
    /// What tells the row from the others; empty for what has no value.
    public var key: String

    /// What a person calls it; may be empty, and is where the key is.
    public var name: String

    /// The distinct addresses; `nil` in a timeline.
    public var addresses: Int?

    /// The hits.
    public var hits: Int

    /// The share of all hits of the summary, from 0 to 1.
    public var share: Double

    /// Where a city lies, if that is known; `nil` in other tables.
    public var place: Place?

    /// The country of a country, city or address, ISO 3166-1 alpha-2; `nil` where there is none.
    public var countryCode: String?

    /// When an hour or a day begins, in seconds since 1970 UTC; `nil` in other tables.
    public var start: Int64?

    /// Makes a row.
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

    /// Makes a place.
    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }
}

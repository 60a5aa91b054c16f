/// A column of the output: its name, and where it stands when all are shown.
public enum Field: UInt8, CaseIterable, Sendable {
  case ip, status, source
  case countryCode, country, region, city, postalCode
  case latitude, longitude, timezone
  case asn, asName, isp, org, hostname
  case cached, fetchedAt, message, line
  // Only when asked for.
  case input, network, continentCode, regionCode, mobile, proxy, hosting

  /// The columns shown when none are picked, in their order.
  public static let standard: [Field] = Array(allCases.prefix { $0 != .input })

  /// The columns of a table for a person.
  public static let table: [Field] = [.ip, .status, .countryCode, .city, .asName, .source]

  /// The name in CSV headers, JSON keys and `--fields`.
  public var name: String {
    switch self {
    case .ip: "ip"
    case .status: "status"
    case .source: "source"
    case .countryCode: "country_code"
    case .country: "country"
    case .region: "region"
    case .city: "city"
    case .postalCode: "postal_code"
    case .latitude: "latitude"
    case .longitude: "longitude"
    case .timezone: "timezone"
    case .asn: "asn"
    case .asName: "as_name"
    case .isp: "isp"
    case .org: "org"
    case .hostname: "hostname"
    case .cached: "cached"
    case .fetchedAt: "fetched_at"
    case .message: "message"
    case .line: "line"
    case .input: "input"
    case .network: "network"
    case .continentCode: "continent_code"
    case .regionCode: "region_code"
    case .mobile: "mobile"
    case .proxy: "proxy"
    case .hosting: "hosting"
    }
  }

  /// Finds a column by its name.
  public init?(name: some StringProtocol) {
    guard let field = Field.allCases.first(where: { $0.name == name }) else { return nil }
    self = field
  }
}

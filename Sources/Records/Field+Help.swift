extension Field {
  /// What `--fields help` prints: every column with its type and a note.
  public static var help: String {
    let rows = allCases.map { field in
      let name = padded(field.name, to: 16)
      let type = padded(field.type, to: 9)
      return "  \(name)\(type)\(field.note)"
    }
    let usual = rows.prefix(standard.count).joined(separator: "\n")
    let others = rows.dropFirst(standard.count).joined(separator: "\n")
    return """
      The columns, in their order:
      \(usual)

      Only when asked for:
      \(others)

      --fields ip,country,asn picks columns and orders them; --fields +proxy,+network adds to the
      usual ones.

      """
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 1))
  }

  /// The type of the values.
  public var type: String {
    switch self {
    case .latitude, .longitude: "number"
    case .asn, .line: "integer"
    case .cached, .mobile, .proxy, .hosting: "boolean"
    default: "text"
    }
  }

  /// What the values say, in a line.
  public var note: String {
    switch self {
    case .ip: "the address (RFC 5952); the item itself where it is not one"
    case .status: Status.allCases.map(\.name).joined(separator: ", ")
    case .source: "who answered: " + Source.allCases.map(\.name).joined(separator: ", ")
    case .countryCode: "ISO 3166-1 alpha-2"
    case .country: "its English name"
    case .region: "state, province or the like"
    case .city: "city"
    case .postalCode: "postal code"
    case .latitude: "degrees north, WGS 84"
    case .longitude: "degrees east, WGS 84"
    case .timezone: "IANA name"
    case .asn: "number of the autonomous system"
    case .asName: "its name"
    case .isp: "Internet service provider"
    case .org: "organisation"
    case .hostname: "host name; asked of ip-api only when named here"
    case .cached: "whether the cache answered"
    case .fetchedAt: "when the provider answered, RFC 3339 UTC; of a database, its build date"
    case .message: "why, for every status but ok"
    case .line: "line of the first appearance, from 1"
    case .input: "the file"
    case .network: "the prefix, from local databases"
    case .continentCode: "AF, AN, AS, EU, NA, OC, SA"
    case .regionCode: "code of the region"
    case .mobile: "whether it is a cellular connection"
    case .proxy: "whether it is a proxy, VPN or Tor exit"
    case .hosting: "whether it is in a data centre"
    }
  }
}

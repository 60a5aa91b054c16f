/// The members of an ip-api entry that are used, in the order in which the service writes them.
///
/// https://github.com/ip-api/proxy, `internal/field/field.go`
enum IPAPIMember: Int, CaseIterable {
  case status, continentCode, country, countryCode, region, regionName, city, zip, lat, lon
  case timezone, isp, org, system, reverse, mobile, proxy, hosting, message, query

  fileprivate var name: StaticString {
    switch self {
    case .status: "status"
    case .continentCode: "continentCode"
    case .country: "country"
    case .countryCode: "countryCode"
    case .region: "region"
    case .regionName: "regionName"
    case .city: "city"
    case .zip: "zip"
    case .lat: "lat"
    case .lon: "lon"
    case .timezone: "timezone"
    case .isp: "isp"
    case .org: "org"
    case .system: "as"
    case .reverse: "reverse"
    case .mobile: "mobile"
    case .proxy: "proxy"
    case .hosting: "hosting"
    case .message: "message"
    case .query: "query"
    }
  }
}

/// Finds the members of an answer's entries by their keys.
///
/// All entries of an answer have the same members in the same order, so the member after the last
/// one found is tried first; any order is accepted.
struct IPAPIMemberFinder {
  private static let allMembers = IPAPIMember.allCases
  private static let allKeys = IPAPIMember.allCases.map { JSONKey($0.name) }
  private static let success = JSONKey("success")
  private static let fail = JSONKey("fail")
  private static let finalMessages = [
    JSONKey("private range"), JSONKey("reserved range"), JSONKey("invalid query"),
  ]

  /// The value of ``IPAPIMember/status`` for a known address.
  let success = Self.success

  /// Its value for an unknown address, together with one of ``finalMessages``.
  var fail: JSONKey { Self.fail }

  /// The documented messages; any other is an error of the service.
  var finalMessages: [JSONKey] { Self.finalMessages }

  // A copy, because access to a static is guarded by a check.
  private let members = Self.allMembers
  private let keys = Self.allKeys
  private var next = 0

  /// The member with a key; `nil` for one that is not used.
  mutating func member(_ key: JSONKey) -> IPAPIMember? {
    for _ in 0..<keys.count {
      let index = next
      next = index + 1 == keys.count ? 0 : index + 1
      if keys[index] == key { return members[index] }
    }
    return nil
  }
}

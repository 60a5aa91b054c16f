import Records

/// One element of an ip-api answer, as far as it is of the documented types.
struct IPAPIEntry {
  private(set) var query = TextRange.none
  private(set) var message = TextRange.none
  private var hasFailed = false

  private var hasStatus = false
  private var isMalformed = false
  private var found = Record(address: nil, status: .ok)

  private enum Key {
    static let status = JSONKey("status"), query = JSONKey("query"), message = JSONKey("message")
    static let country = JSONKey("country"), countryCode = JSONKey("countryCode")
    static let region = JSONKey("region"), regionName = JSONKey("regionName")
    static let city = JSONKey("city"), zip = JSONKey("zip"), timezone = JSONKey("timezone")
    static let lat = JSONKey("lat"), lon = JSONKey("lon")
    static let isp = JSONKey("isp"), org = JSONKey("org"), system = JSONKey("as")
    static let reverse = JSONKey("reverse"), continentCode = JSONKey("continentCode")
    static let mobile = JSONKey("mobile"), proxy = JSONKey("proxy"), hosting = JSONKey("hosting")

    static let documented: Set<JSONKey> = [
      status, query, message, country, countryCode, region, regionName, city, zip, timezone, lat,
      lon, isp, org, system, reverse, continentCode, mobile, proxy, hosting,
    ]
  }

  /// Whether the element says which address it is about and how it went.
  var isUsable: Bool { hasStatus && !isMalformed && !query.isEmpty }

  /// Whether the provider has nothing about the address: it says so, or every value is empty.
  var isUnknown: Bool { hasFailed || !found.saysSomething }

  /// Takes one member in; an unknown one and `null` say nothing.
  mutating func take(_ key: JSONKey, _ value: JSONDocument.Value, of document: JSONDocument) {
    let isKnown: Bool
    switch value {
    case .string(let text): isKnown = take(key, text, of: document)
    case .integer, .double: isKnown = take(key, number: value.number ?? .nan)
    case .bool(let flag): isKnown = take(key, flag: flag)
    case .null: return
    case .array, .object: isKnown = false
    }
    // A documented member of another type: nothing in the element is to be believed.
    if !isKnown, Key.documented.contains(key) { isMalformed = true }
  }

  private mutating func take(_ key: JSONKey, _ text: TextRange, of document: JSONDocument) -> Bool {
    switch key {
    case Key.query: query = text
    case Key.status:
      hasStatus = true
      hasFailed = !document.bytes(text).elementsEqual("success".utf8)
    case Key.message: message = text
    case Key.country: found[.country] = text
    case Key.countryCode: found[.countryCode] = text
    case Key.region: found[.regionCode] = text
    case Key.regionName: found[.region] = text
    case Key.city: found[.city] = text
    case Key.zip: found[.postalCode] = text
    case Key.timezone: found[.timezone] = text
    case Key.isp: found[.isp] = text
    case Key.org: found[.org] = text
    case Key.reverse: found[.hostname] = text
    case Key.continentCode: found[.continentCode] = text
    case Key.system: found.set(SystemNumber(text, in: document))
    default: return false
    }
    return true
  }

  private mutating func take(_ key: JSONKey, number: Double) -> Bool {
    switch key {
    case Key.lat: found.latitude = number
    case Key.lon: found.longitude = number
    default: return false
    }
    return true
  }

  private mutating func take(_ key: JSONKey, flag: Bool) -> Bool {
    switch key {
    case Key.mobile: found.isMobile = flag
    case Key.proxy: found.isProxy = flag
    case Key.hosting: found.isHosting = flag
    default: return false
    }
    return true
  }

  /// Writes what was taken into the record of the address.
  func fill(_ record: inout Record, time: Int64) {
    let address = record.address
    if isUnknown {
      record.status = .unknown
    } else {
      record = found
      record.address = address
      record.source = .ipAPI
    }
    record.fetchedAt = time
  }
}

import Records

/// One element of an ip-api answer, as far as it is of the documented types.
struct IPAPIEntry {
  private(set) var query = TextRange.none
  private(set) var message = TextRange.none
  private var hasFailed = false

  private var hasStatus = false
  private var isMalformed = false
  private var found = Record(address: nil, status: .ok)

  /// Whether the element says which address it is about and how it went.
  var isUsable: Bool { hasStatus && !isMalformed && !query.isEmpty }

  /// Whether the provider has nothing about the address: it says so, or every value is empty.
  var isUnknown: Bool { hasFailed || !found.saysSomething }

  /// Takes one member in; an unknown one and `null` say nothing.
  mutating func take(
    _ key: JSONKey,
    _ value: JSONDocument.Value,
    of document: JSONDocument,
    _ finder: inout IPAPIMemberFinder
  ) {
    guard let member = finder.member(key) else { return }
    let isAsDocumented: Bool
    switch value {
    case .string(let text) where member == .status:
      isAsDocumented = true
      hasStatus = true
      hasFailed = document.key(text) != finder.success
    case .string(let text): isAsDocumented = take(member, text, of: document)
    case .integer, .double: isAsDocumented = take(member, number: value.number ?? .nan)
    case .bool(let flag): isAsDocumented = take(member, flag: flag)
    case .null: return
    case .array, .object: isAsDocumented = false
    }
    // A documented member of another type: nothing in the element is to be believed.
    if !isAsDocumented { isMalformed = true }
  }

  private mutating func take(
    _ member: IPAPIMember,
    _ text: TextRange,
    of document: JSONDocument
  ) -> Bool {
    switch member {
    case .query: query = text
    case .message: message = text
    case .country: found[.country] = text
    case .countryCode: found[.countryCode] = text
    case .region: found[.regionCode] = text
    case .regionName: found[.region] = text
    case .city: found[.city] = text
    case .zip: found[.postalCode] = text
    case .timezone: found[.timezone] = text
    case .isp: found[.isp] = text
    case .org: found[.org] = text
    case .reverse: found[.hostname] = text
    case .continentCode: found[.continentCode] = text
    case .system: found.set(SystemNumber(text, in: document))
    case .status, .lat, .lon, .mobile, .proxy, .hosting: return false
    }
    return true
  }

  private mutating func take(_ member: IPAPIMember, number: Double) -> Bool {
    switch member {
    case .lat: found.latitude = number
    case .lon: found.longitude = number
    default: return false
    }
    return true
  }

  private mutating func take(_ member: IPAPIMember, flag: Bool) -> Bool {
    switch member {
    case .mobile: found.isMobile = flag
    case .proxy: found.isProxy = flag
    case .hosting: found.isHosting = flag
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

import Records

/// One element of an ip-api answer, as far as it is of the documented types.
struct IPAPIEntry {
  /// What an element says.
  enum Outcome {
    /// Facts about its address.
    case known
    /// That there is nothing about its address.
    case unknown
    /// That the provider failed.
    case fault
    /// Nothing that is to be believed.
    case malformed
  }

  private(set) var query = TextRange.none
  private(set) var message = TextRange.none
  private var status = TextRange.none
  private var isMalformed = false
  private var found = Record(address: nil, status: .ok)

  /// Says what the element came to, once every member is taken in.
  mutating func finish(_ document: JSONDocument, _ finder: IPAPIMemberFinder) -> Outcome {
    guard !isMalformed, !status.isEmpty else { return .malformed }
    let status = document.key(self.status)
    if status == finder.success {
      found.confine(in: document.strings.span)
      return query.isEmpty ? .malformed : found.saysSomething ? .known : .unknown
    }
    let isFinal = status == finder.fail && finder.finalMessages.contains(document.key(message))
    return isFinal ? .unknown : .fault
  }

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
      status = text
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
  func fill(_ record: inout Record, as outcome: Outcome, time: Int64) {
    let address = record.address
    if outcome == .unknown {
      record.status = .unknown
    } else {
      record = found
      record.address = address
      record.source = .ipAPI
    }
    record.fetchedAt = time
  }
}

import SondeAddresses
import SondeRecords

extension IPAPI {
  /// Reads the answer to a batch, which has entries in the order of its addresses.
  func readBatch(
    _ elements: Range<Int>,
    of document: JSONDocument,
    for addresses: [Address],
    time: Int64
  ) -> Reading.Content {
    var finder = IPAPIMemberFinder()
    var matcher = AnswerMatcher(addresses: addresses, document: document)
    var position = 0
    document.forEachElement(elements) { element in
      if let members = element.members {
        settle(members, of: document, &finder, expected: position, time: time, into: &matcher)
      }
      position += 1
    }
    if position == 1, addresses.count > 1, let members = document[elements.lowerBound].members,
      document.value("query", in: members) == nil, let words = document.errorText(in: members)
    {
      // The official proxy's message for a body that it does not understand.
      return .unusable(words)
    }
    return .answers(matcher.finish())
  }

  /// Reads the answer to a single look-up: one entry.
  func readSingle(
    _ members: Range<Int>,
    of document: JSONDocument,
    for addresses: [Address],
    time: Int64
  ) -> Reading.Content {
    var finder = IPAPIMemberFinder()
    var matcher = AnswerMatcher(addresses: addresses, document: document)
    settle(members, of: document, &finder, expected: 0, time: time, into: &matcher)
    return .answers(matcher.finish())
  }

  /// Reads an entry and settles the record of its address.
  private func settle(
    _ members: Range<Int>,
    of document: JSONDocument,
    _ finder: inout IPAPIMemberFinder,
    expected: Int,
    time: Int64,
    into matcher: inout AnswerMatcher
  ) {
    var entry = IPAPIEntry()
    document.forEachMember(members) { entry.take(document.key($0), $1, of: document, &finder) }
    let outcome = entry.finish(document, finder, time: time)
    let words = document.string(entry.message)
    if outcome == .fault { matcher.note(complaint: words) }
    guard outcome == .known || outcome == .unknown,
      let address = Address(ascii: document.strings, at: entry.query)
    else { return }
    entry.record.address = address
    let message = outcome == .unknown ? nothingKnown(words) : nil
    matcher.put(entry.record, saying: message, expected: expected)
  }
}

/// An element of an ip-api answer, as far as it has the documented types.
struct IPAPIEntry {
  /// The meaning of an element.
  enum Outcome {
    case known
    case unknown
    /// The provider failed.
    case fault
    /// It is not trusted.
    case malformed
  }

  private(set) var query = TextRange.none
  private(set) var message = TextRange.none
  private var status = TextRange.none
  private var isMalformed = false
  /// The known facts, without the address.
  fileprivate(set) var record = Record(address: nil, status: .ok)

  /// Determines the meaning of the element after all members were read; if it is trusted, the
  /// record is complete except for its address.
  mutating func finish(
    _ document: JSONDocument,
    _ finder: IPAPIMemberFinder,
    time: Int64
  ) -> Outcome {
    let outcome = outcome(document, finder)
    if outcome == .unknown {
      record = Record(address: nil, status: .unknown)
    } else {
      record.source = .ipAPI
    }
    record.fetchedAt = time
    return outcome
  }

  private mutating func outcome(_ document: JSONDocument, _ finder: IPAPIMemberFinder) -> Outcome {
    guard !isMalformed, !status.isEmpty else { return .malformed }
    let status = document.key(self.status)
    if status == finder.success {
      record.confine(in: document.strings.span)
      return query.isEmpty ? .malformed : record.saysSomething ? .known : .unknown
    }
    let isFinal = status == finder.fail && finder.finalMessages.contains(document.key(message))
    return isFinal ? .unknown : .fault
  }

  /// Reads one member; an unknown one and `null` are ignored.
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
    // A documented member has another type, so the element is not trusted.
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
    case .country: record[.country] = text
    case .countryCode: record[.countryCode] = text
    case .region: record[.regionCode] = text
    case .regionName: record[.region] = text
    case .city: record[.city] = text
    case .zip: record[.postalCode] = text
    case .timezone: record[.timezone] = text
    case .isp: record[.isp] = text
    case .org: record[.org] = text
    case .reverse: record[.hostname] = text
    case .continentCode: record[.continentCode] = text
    case .system: record.set(SystemNumber(text, in: document))
    case .status, .lat, .lon, .mobile, .proxy, .hosting: return false
    }
    return true
  }

  private mutating func take(_ member: IPAPIMember, number: Double) -> Bool {
    switch member {
    case .lat: record.latitude = number
    case .lon: record.longitude = number
    default: return false
    }
    return true
  }

  private mutating func take(_ member: IPAPIMember, flag: Bool) -> Bool {
    switch member {
    case .mobile: record.isMobile = flag
    case .proxy: record.isProxy = flag
    case .hosting: record.isHosting = flag
    default: return false
    }
    return true
  }
}

/// The members of an ip-api entry that are used, in the order in which the service writes them.
///
/// https://github.com/ip-api/proxy, `internal/field/field.go`
enum IPAPIMember: Int, CaseIterable {
  case status, continentCode, country, countryCode, region, regionName, city, zip, lat, lon
  case timezone, isp, org, system, reverse, mobile, proxy, hosting, message, query

  /// The keys of the cases, in their order.
  fileprivate static let names: [StaticString] = [
    "status", "continentCode", "country", "countryCode", "region", "regionName", "city", "zip",
    "lat", "lon", "timezone", "isp", "org", "as", "reverse", "mobile", "proxy", "hosting",
    "message", "query",
  ]
}

/// Finds the members of an answer's entries by their keys.
///
/// All entries of an answer have the same members in the same order, so the member after the last
/// one found is tried first; any order is accepted.
struct IPAPIMemberFinder {
  private static let allMembers = IPAPIMember.allCases
  private static let allKeys = IPAPIMember.names.map { JSONKey($0) }
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

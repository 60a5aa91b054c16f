import SondeRecords

/// Combines the answers of several databases in one record.
///
/// Fields that belong together are taken from the first database of the list that has them:
/// - the country (code, name, continent), from the first that names one;
/// - the place (region, city, postal code, position, accuracy, time zone), from the first that gives
///   a city or a position, and names the country of the record, or no country if no database does;
/// - the AS (number and name), from the first that gives the number;
/// - each other field, from the first that has it.
///
/// If no database has a group's main fields, the first with any other field of the group is used.
/// Source, date and network are those of the first database that contributed. The databases of the
/// place, or else the country, and of the AS are named.
extension Record {
  /// Whether anything is known about the address, besides its network.
  var knowsSomething: Bool {
    let others = [TextField.network, .message].map(\.rawValue)
    let all = texts.all
    let ranges = all.span
    for index in ranges.indices where !ranges[index].isEmpty && !others.contains(index) {
      return true
    }
    return asn != 0 || hasPosition || isMobile != nil || isProxy != nil || isHosting != nil
      || isTor != nil || isVPN != nil || isRelay != nil
  }

  private static let countryTexts: [TextField] = [.countryCode, .country, .continentCode]
  private static let placeTexts: [TextField] = [
    .region, .regionCode, .city, .postalCode, .timezone,
  ]

  private static let placeDatabase: [TextField] = [.database, .databaseDate]

  private var hasPosition: Bool { !latitude.isNaN }
  private var hasCountry: Bool { !self[.countryCode].isEmpty || !self[.country].isEmpty }
  private var hasPlace: Bool { !self[.city].isEmpty || hasPosition }
  private var hasPartOfPlace: Bool {
    // All of ``placeTexts``, without a loop that would copy the record.
    hasPlace || !self[.region].isEmpty || !self[.regionCode].isEmpty || !self[.postalCode].isEmpty
      || !self[.timezone].isEmpty
  }

  /// Names the database of this answer.
  mutating func name(_ database: TextRange, builtOn day: TextRange) {
    guard status == .ok else { return }
    if hasPartOfPlace || hasCountry || !self[.continentCode].isEmpty {
      (self[.database], self[.databaseDate]) = (database, day)
    }
    if asn != 0 { (self[.asDatabase], self[.asDatabaseDate]) = (database, day) }
  }

  /// Adds what is missing from the answer of a later database, whose texts are in the same bytes;
  /// returns whether anything was added.
  mutating func complete(from other: Record, in bytes: Span<UInt8>) -> Bool {
    guard other.status == .ok else {
      // A damaged database might have had information.
      if status == .unknown, other.status == .failed || self[.message].isEmpty { self = other }
      return false
    }
    guard status == .ok else {
      self = other
      return true
    }
    let changes = [
      completeCountry(from: other), completePlace(from: other, in: bytes),
      completeAS(from: other), completeRest(from: other),
    ]
    return changes.contains(true)
  }

  private mutating func completeCountry(from other: Record) -> Bool {
    guard !hasCountry, other.hasCountry || self[.continentCode].isEmpty else { return false }
    if other.hasCountry || !hasPartOfPlace {
      // A place of no known country might be in another one.
      let none = Record(address: nil, status: .ok)
      (latitude, longitude) = (none.latitude, none.longitude)
      accuracyRadius = none.accuracyRadius
      _ = take(Self.placeTexts, from: none)
      _ = take(Self.placeDatabase, from: other)
    }
    return take(Self.countryTexts, from: other)
  }

  /// Whether two records have the code of the same country, or neither has one.
  func namesCountry(of other: Record, in bytes: Span<UInt8>) -> Bool {
    let (code, otherCode) = (self[.countryCode], other[.countryCode])
    guard code.count == otherCode.count else { return false }
    return (0..<Int(code.count)).allSatisfy {
      bytes[Int(code.offset) + $0] == bytes[Int(otherCode.offset) + $0]
    }
  }

  private mutating func completePlace(from other: Record, in bytes: Span<UInt8>) -> Bool {
    guard namesCountry(of: other, in: bytes) else { return false }
    guard !hasPlace, other.hasPlace || !hasPartOfPlace, other.hasPartOfPlace else { return false }
    (latitude, longitude) = (other.latitude, other.longitude)
    accuracyRadius = other.accuracyRadius
    return take(Self.placeTexts + Self.placeDatabase, from: other) || hasPosition
  }

  /// Also adds a name alone, if both have the same AS.
  private mutating func completeAS(from other: Record) -> Bool {
    guard asn == 0 || (asn == other.asn && self[.asName].isEmpty) else { return false }
    guard other.asn != 0 || self[.asName].isEmpty else { return false }
    if asn == 0 { _ = take([.asDatabase, .asDatabaseDate], from: other) }
    asn = other.asn
    return take([.asName], from: other) || asn != 0
  }

  private mutating func completeRest(from other: Record) -> Bool {
    var isChanged = false
    let texts: [TextField] = [.isp, .org, .hostname, .registeredCountryCode]
    for field in texts where self[field].isEmpty {
      isChanged = take([field], from: other) || isChanged
    }
    let flags = [\Record.isMobile, \.isProxy, \.isHosting, \.isTor, \.isVPN, \.isRelay]
    for flag in flags where self[keyPath: flag] == nil {
      self[keyPath: flag] = other[keyPath: flag]
      isChanged = isChanged || self[keyPath: flag] != nil
    }
    if isTor == true || isVPN == true || isRelay == true { isProxy = true }
    return isChanged
  }

  private mutating func take(_ fields: [TextField], from other: Record) -> Bool {
    for field in fields { self[field] = other[field] }
    return fields.contains { !self[$0].isEmpty }
  }
}

import SondeRecords
import SondeSystem

/// Converts the values of an MMDB record to the fields of ours.
struct MaxMindEntry {
  typealias Damage = MaxMindReader.Damage

  let values: MaxMindValues
  let isAnonymousType: Bool

  /// Sets every field that has a value.
  func fill(_ record: inout Record, from data: Span<UInt8>, bytes: inout [UInt8]) throws(Damage) {
    try fillCountry(&record, from: data, bytes: &bytes)
    for (field, value) in Self.texts {
      record[field] = try text(values[value], from: data, bytes: &bytes)
    }
    let registered = values[.registeredCountryCode]
    record[.registeredCountryCode] = try code(registered, from: data, bytes: &bytes)
    fillPosition(&record, from: data)
    record.asn = number(from: data)
    if record.asn != 0, record[.asName].isEmpty {
      record[.asName] = try text(values[.name], from: data, bytes: &bytes)
    }
    fillFlags(&record)
  }

  /// The fields copied as text; each layout has its own names for them.
  private static let texts: [(TextField, MaxMindValue)] = [
    (.region, .region), (.regionCode, .regionCode), (.city, .city), (.postalCode, .postalCode),
    (.timezone, .timezone), (.asName, .asName), (.isp, .isp), (.org, .organization),
  ]

  /// Sets the country and continent.
  ///
  /// IPinfo: if `country_code` exists, `country` is the name, otherwise the code; likewise
  /// `continent`. MaxMind's maps with these names have their own values.
  private func fillCountry(
    _ record: inout Record,
    from data: Span<UInt8>,
    bytes: inout [UInt8]
  ) throws(Damage) {
    let hasCode = !isMissing(values[.countryCode])
    let code = hasCode ? values[.countryCode] : values[.country]
    let name = isMissing(values[.countryName]) && hasCode ? values[.country] : values[.countryName]
    let hasContinent = !isMissing(values[.continentCode])
    let continent = hasContinent ? values[.continentCode] : values[.continent]
    record[.countryCode] = try self.code(code, from: data, bytes: &bytes)
    record[.country] = try countryName(record[.countryCode], name, from: data, bytes: &bytes)
    record[.continentCode] = try self.code(continent, from: data, bytes: &bytes)
  }

  /// The usual name of a code; the database's own for any other code.
  private func countryName(
    _ code: TextRange,
    _ own: MaxMindReader.Value,
    from data: Span<UInt8>,
    bytes: inout [UInt8]
  ) throws(Damage) -> TextRange {
    let start = Int(code.offset)
    let name = code.isEmpty ? [] : CountryNames.bytes(of: bytes[start], bytes[start + 1])
    guard name.isEmpty else { return bytes.append(repairing: name.span) }
    return try text(own, from: data, bytes: &bytes)
  }

  /// Sets both coordinates or neither, and only if they are in range.
  private func fillPosition(_ record: inout Record, from data: Span<UInt8>) {
    guard let latitude = degrees(values[.latitude], from: data), abs(latitude) <= 90,
      let longitude = degrees(values[.longitude], from: data), abs(longitude) <= 180
    else { return }
    record.latitude = latitude
    record.longitude = longitude
    record.accuracyRadius = radius(from: data)
  }

  private func fillFlags(_ record: inout Record) {
    record.isMobile = flag(.isMobile)
    let kinds: [MaxMindValue] = [.isProxy, .isHosting, .isTor, .isVPN, .isRelay]
    if isAnonymousType || kinds.contains(where: { flag($0) != nil }) {
      record.set(
        isProxy: flag(.isProxy) == true,
        isTor: flag(.isTor) == true,
        isVPN: flag(.isVPN) == true,
        isRelay: flag(.isRelay) == true,
        isHosting: flag(.isHosting) == true
      )
    }
    if !isAnonymousType, let anonymous = flag(.isAnonymous) {
      record.isProxy = anonymous || record.isProxy == true
    }
  }
}

// MARK: - Values

extension MaxMindEntry {
  /// An empty text is a missing value.
  private func isMissing(_ value: MaxMindReader.Value) -> Bool {
    guard case .text(let range) = value else { return true }
    return range.isEmpty
  }

  private func text(
    _ value: MaxMindReader.Value,
    from data: Span<UInt8>,
    bytes: inout [UInt8]
  ) throws(Damage) -> TextRange {
    guard case .text(let range) = value, !range.isEmpty else { return .none }
    return bytes.append(repairing: data.extracting(range))
  }

  /// Two capital letters; anything else counts as missing.
  private func code(
    _ value: MaxMindReader.Value,
    from data: Span<UInt8>,
    bytes: inout [UInt8]
  ) throws(Damage) -> TextRange {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard case .text(let range) = value, range.count == 2,
      letters.contains(data[range.lowerBound]), letters.contains(data[range.lowerBound + 1])
    else { return .none }
    return try text(value, from: data, bytes: &bytes)
  }

  /// An AS number given as an integer or as IPinfo's `AS13335`; 0 if it is missing.
  private func number(from data: Span<UInt8>) -> UInt32 {
    switch values[.asn] {
    case .integer(let number): return UInt32(exactly: number) ?? 0
    case .text(let range):
      let text = string(range, from: data)
      return UInt32(text.hasPrefix("AS") ? text.dropFirst(2) : text[...]) ?? 0
    default: return 0
    }
  }

  /// The accuracy radius in km, rounded; `nil` if it is missing or impossible.
  private func radius(from data: Span<UInt8>) -> UInt16? {
    let number: Double? =
      switch values[.accuracyRadius] {
      case .integer(let number): Double(number)
      default: degrees(values[.accuracyRadius], from: data)
      }
    guard let number, number >= 0, number <= Double(Record.longestRadius) else { return nil }
    return UInt16(number.rounded())
  }

  private func degrees(_ value: MaxMindReader.Value, from data: Span<UInt8>) -> Double? {
    switch value {
    case .number(let number): number
    case .single(let number): Double(number)
    case .text(let range): Double(string(range, from: data))
    default: nil
    }
  }

  private func flag(_ value: MaxMindValue) -> Bool? {
    guard case .flag(let flag) = values[value] else { return nil }
    return flag
  }

  /// A text of at most 32 bytes; empty if it is longer.
  private func string(_ range: Range<Int>, from data: Span<UInt8>) -> String {
    guard range.count <= 32 else { return "" }
    return unsafe data.extracting(range).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
  }
}

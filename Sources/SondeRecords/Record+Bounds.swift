extension Record {
  /// The longest text accepted from any source, in bytes; names are far shorter.
  public static let longestText = 1024

  /// Half of the Earth's circumference in km: no place is farther from another.
  public static let longestRadius: UInt16 = 20_038

  /// Removes values that are out of range, and cuts long texts at a character.
  ///
  /// Latitudes are within 90 degrees, longitudes within 180 (WGS 84); codes of countries (ISO
  /// 3166-1 alpha-2) and of continents have two letters.
  public mutating func confine(in bytes: Span<UInt8>) {
    // Also removes NaN, which is in no range.
    if !(abs(latitude) <= 90) { latitude = .nan }
    if !(abs(longitude) <= 180) { longitude = .nan }
    if accuracyRadius.map({ $0 > Self.longestRadius }) == true { accuracyRadius = nil }
    for field in [TextField.countryCode, .continentCode, .registeredCountryCode]
    where !self[field].isEmpty {
      if !self[field].isTwoLetters(in: bytes) { self[field] = .none }
    }
    for index in texts.indices where texts[index].count > Self.longestText {
      texts[index] = texts[index].cut(in: bytes)
    }
  }
}

extension TextRange {
  /// The range cut to the longest text accepted, at the end of a character.
  public func cut(in bytes: Span<UInt8>) -> TextRange {
    guard count > Record.longestText else { return self }
    var end = Int(offset) + Record.longestText
    // Continuation bytes are 10xxxxxx (RFC 3629 §3).
    while end > Int(offset), bytes[end] & 0xc0 == 0x80 { end -= 1 }
    return TextRange(offset: offset, count: UInt32(end - Int(offset)))
  }

  fileprivate func isTwoLetters(in bytes: Span<UInt8>) -> Bool {
    guard count == 2 else { return false }
    return indices.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= bytes[$0] | 0x20 }
  }
}

extension String {
  /// The text cut to the longest text accepted, at the end of a character.
  public var confined: String {
    guard utf8.count > Record.longestText else { return self }
    let bytes = Array(utf8)
    let range = TextRange(offset: 0, count: UInt32(clamping: bytes.count)).cut(in: bytes.span)
    return String(decoding: bytes[..<Int(range.count)], as: UTF8.self)
  }
}

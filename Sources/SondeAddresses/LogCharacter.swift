/// A character of a log after decoding: an escape counts as its character, a terminal's colour
/// sequence as a separator.
struct LogCharacter {
  /// The byte, 0 outside the text and for a colour sequence, or 0x80 for an escape beyond ASCII.
  let byte: UInt8

  /// The other end: the start if read backwards, otherwise the end.
  let edge: Int

  /// The character that begins most escapes.
  static let backslash = UInt8(ascii: "\\")
  static let percent = UInt8(ascii: "%")
  static let hash = UInt8(ascii: "#")

  /// The length of the longest escape in bytes.
  static let longestEscape = 6

  /// The length of the longest parameters of a colour sequence in bytes.
  static let longestColour = 64

  init(_ byte: UInt8, _ edge: Int) { (self.byte, self.edge) = (byte, edge) }

  private init(escaped value: Int, _ edge: Int) {
    self.init(value < 0x80 ? UInt8(truncatingIfNeeded: value) : 0x80, edge)
  }
}

// MARK: - To the left

extension LogCharacter {
  /// Reads the character that ends at a position; text before `floor` is ignored.
  init(_ text: Span<UInt8>, endingAt end: Int, from floor: Int) {
    let plain = Self.plain(text, endingAt: end, from: floor)
    let isLast = plain.byte == UInt8(ascii: "m") || plain.byte == UInt8(ascii: "K")
    let colour = isLast ? Self.colour(text, before: plain.edge, from: floor) : nil
    self = colour.map { Self(0, $0) } ?? plain
  }

  private static func plain(_ text: Span<UInt8>, endingAt end: Int, from floor: Int) -> Self {
    if let escape = Self(escape: text, endingAt: end, from: floor) { return escape }
    return end > floor ? Self(text[end &- 1], end &- 1) : Self(0, floor)
  }

  /// The start of a colour sequence whose last letter is at a position: ESC, `[`, digits, `;` and
  /// `:`.
  private static func colour(_ text: Span<UInt8>, before end: Int, from floor: Int) -> Int? {
    var position = end
    for _ in 0...longestColour {
      let parameter = plain(text, endingAt: position, from: floor)
      position = parameter.edge
      if parameter.byte == UInt8(ascii: "[") {
        let escape = plain(text, endingAt: position, from: floor)
        return escape.byte == 0x1b ? escape.edge : nil
      }
      // Digits, `:` and `;` are consecutive in ASCII.
      guard parameter.byte &- 0x30 < 12 else { return nil }
    }
    return nil
  }

  /// Decodes the escape that ends at a position: `\n` and the like, `%XX`, `\xXX`, `\uXXXX`, or a
  /// control character in rsyslog's octal, `#033`.
  init?(escape text: Span<UInt8>, endingAt end: Int, from floor: Int) {
    guard end &- 2 >= floor else { return nil }
    let last = text[end &- 1]
    if text[end &- 2] == Self.backslash, let byte = Self.short(last) {
      guard Self.isOpen(text, end &- 2, floor) else { return nil }
      self.init(byte, end &- 2)
      return
    }
    guard last.isHexDigit, text[end &- 2].isHexDigit, end &- 3 >= floor else { return nil }
    if text[end &- 3] == Self.percent {
      self.init(escaped: Self.value(text, end &- 2..<end), end &- 3)
      return
    }
    self.init(longEscape: text, endingAt: end, from: floor)
  }

  /// Decodes an escape that ends with two hexadecimal digits, except `%XX`.
  private init?(longEscape text: Span<UInt8>, endingAt end: Int, from floor: Int) {
    guard end &- 4 >= floor else { return nil }
    if text[end &- 4] == Self.hash, let value = Self.octal(text, end &- 3) {
      self.init(escaped: value, end &- 4)
    } else if text[end &- 3] == UInt8(ascii: "x"), Self.isOpen(text, end &- 4, floor) {
      self.init(escaped: Self.value(text, end &- 2..<end), end &- 4)
    } else if end &- 6 >= floor, text[end &- 5] == UInt8(ascii: "u"),
      text[end &- 4].isHexDigit, text[end &- 3].isHexDigit, Self.isOpen(text, end &- 6, floor)
    {
      self.init(escaped: Self.value(text, end &- 4..<end), end &- 6)
    } else {
      return nil
    }
  }

  /// Whether the backslash at a position begins an escape: an odd number of them ends there.
  static func isOpen(_ text: Span<UInt8>, _ position: Int, _ floor: Int) -> Bool {
    var first = position
    while first >= floor, text[first] == backslash { first &-= 1 }
    return (position &- first) & 1 == 1
  }
}

// MARK: - To the right

extension LogCharacter {
  /// Reads the character at a position; text from `limit` on is ignored.
  ///
  /// A backslash at the position must be preceded by an even number of backslashes.
  init(_ text: Span<UInt8>, from start: Int, to limit: Int) {
    guard start < limit else {
      self.init(0, limit)
      return
    }
    let byte = text[start]
    self = Self.escape(text, byte, start, limit) ?? Self(byte, start &+ 1)
  }

  private static func escape(
    _ text: Span<UInt8>,
    _ byte: UInt8,
    _ start: Int,
    _ limit: Int
  ) -> Self? {
    guard byte == backslash || byte == percent || byte == hash else { return nil }
    let kind = start &+ 1 < limit ? text[start &+ 1] : 0
    if byte == hash {
      guard start &+ 4 <= limit, let value = octal(text, start &+ 1) else { return nil }
      return Self(escaped: value, start &+ 4)
    }
    if byte == percent { return hex(text, start &+ 1..<start &+ 3, limit) }
    switch kind {
    case backslash: return Self(backslash, start &+ 2)
    case UInt8(ascii: "x"): return hex(text, start &+ 2..<start &+ 4, limit)
    case UInt8(ascii: "u"): return hex(text, start &+ 2..<start &+ 6, limit)
    default: return short(kind).map { Self($0, start &+ 2) }
    }
  }

  private static func hex(_ text: Span<UInt8>, _ digits: Range<Int>, _ limit: Int) -> Self? {
    guard digits.upperBound <= limit, digits.allSatisfy({ text[$0].isHexDigit }) else { return nil }
    return Self(escaped: value(text, digits), digits.upperBound)
  }
}

// MARK: - What escapes stand for

extension LogCharacter {
  /// The character of a one-letter JSON escape (RFC 8259 §7).
  private static func short(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  private static func value(_ text: Span<UInt8>, _ digits: Range<Int>) -> Int {
    digits.reduce(0) { $0 << 4 | Int(text[$1].hexValue) }
  }

  /// Decodes a control character of three octal digits; other octal digits may be the first octet
  /// of an address.
  private static func octal(_ text: Span<UInt8>, _ start: Int) -> Int? {
    let digits = (text[start] &- 0x30, text[start &+ 1] &- 0x30, text[start &+ 2] &- 0x30)
    guard digits.0 == 0, digits.1 < 4, digits.2 < 8 else { return nil }
    return Int(digits.1 << 3 | digits.2)
  }
}

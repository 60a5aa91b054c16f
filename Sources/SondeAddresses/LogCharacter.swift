/// A character of a log as its writer meant it: an escape counts as what it stands for, a terminal's
/// colour sequence as a border.
struct LogCharacter {
  /// Its byte; 0 beyond the text and for a colour sequence, 0x80 for an escaped one beyond ASCII.
  let byte: UInt8

  /// Its other end: where it begins when looked at from behind, else where it ends.
  let edge: Int

  /// What escapes begin with.
  static let backslash = UInt8(ascii: "\\")
  static let percent = UInt8(ascii: "%")
  static let hash = UInt8(ascii: "#")

  /// The most bytes of an escape.
  static let longestEscape = 6

  /// The most parameters of a colour sequence, in characters.
  static let longestColour = 64

  init(_ byte: UInt8, _ edge: Int) { (self.byte, self.edge) = (byte, edge) }

  private init(escaped value: Int, _ edge: Int) {
    self.init(value < 0x80 ? UInt8(truncatingIfNeeded: value) : 0x80, edge)
  }
}

// MARK: - To the left

extension LogCharacter {
  /// The character that ends at a position, as far as the text from `floor` on tells.
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

  /// Where a colour sequence begins whose last letter stands at a position: ESC, `[`, digits, `;`
  /// and `:`.
  private static func colour(_ text: Span<UInt8>, before end: Int, from floor: Int) -> Int? {
    var position = end
    for _ in 0...longestColour {
      let parameter = plain(text, endingAt: position, from: floor)
      position = parameter.edge
      if parameter.byte == UInt8(ascii: "[") {
        let escape = plain(text, endingAt: position, from: floor)
        return escape.byte == 0x1b ? escape.edge : nil
      }
      // Digits, `:` and `;` follow each other.
      guard parameter.byte &- 0x30 < 12 else { return nil }
    }
    return nil
  }

  /// The character that an escape stands for which ends at a position: `\n` and the like, `%XX`,
  /// `\xXX`, `\uXXXX`, or a control character in rsyslog's octal, `#033`.
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

  /// The same for one that ends with two hexadecimal digits, `%XX` aside.
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

  /// Whether a byte is a backslash that begins an escape: their number in a row is odd.
  static func isOpen(_ text: Span<UInt8>, _ position: Int, _ floor: Int) -> Bool {
    var first = position
    while first >= floor, text[first] == backslash { first &-= 1 }
    return (position &- first) & 1 == 1
  }
}

// MARK: - To the right

extension LogCharacter {
  /// The character that begins at a position, as far as the text up to `limit` tells.
  ///
  /// A backslash there is the first of its row, or follows an even number of them.
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
    guard digits.upperBound <= limit, digits.allSatisfy({ text[$0].isHexDigit }) else {
      return nil
    }
    return Self(escaped: value(text, digits), digits.upperBound)
  }
}

// MARK: - What escapes stand for

extension LogCharacter {
  /// The character of an escape of JSON (RFC 8259 §7) that is one letter behind a backslash.
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

  /// A control character of three octal digits; others are never written so, and might be the
  /// first octet of an address.
  private static func octal(_ text: Span<UInt8>, _ start: Int) -> Int? {
    let digits = (text[start] &- 0x30, text[start &+ 1] &- 0x30, text[start &+ 2] &- 0x30)
    guard digits.0 == 0, digits.1 < 4, digits.2 < 8 else { return nil }
    return Int(digits.1 << 3 | digits.2)
  }
}

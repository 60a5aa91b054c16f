/// ASCII classes for the parsers and the log search.
extension UInt8 {
  @inline(__always)
  var isDigit: Bool { self &- 0x30 < 10 }

  @inline(__always)
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// Uses a bit set, because a branch between digits and letters would be mispredicted often.
  @inline(__always)
  var isHexDigit: Bool {
    let set: UInt64 = self & 0x40 == 0 ? 0x03ff_0000_0000_0000 : 0x0000_007e_0000_007e
    return set >> UInt64(self & 0x3f) & UInt64(~self >> 7) != 0
  }

  @inline(__always)
  var hexValue: UInt8 { (self & 0xf) &+ 9 &* (self >> 6) }

  /// An ASCII letter, digit or `_`, which extends any word next to it.
  @inline(__always)
  var isWord: Bool { isDigit || isLetter || self == 0x5f }

  /// Space, tab, line feed, vertical tab, form feed or return.
  @inline(__always)
  var isBlank: Bool { self == 0x20 || self &- 0x09 < 5 }
}

extension Span where Element == UInt8 {
  /// The byte at a position, or 0, which is in no class, outside the text.
  @inline(__always)
  func byte(_ position: Int) -> UInt8 { position >= 0 && position < count ? self[position] : 0 }
}

// MARK: - Beside an address

extension UInt8 {
  /// Whether no rule depends on this byte directly before an address.
  ///
  /// This is true of all bytes but letters, digits, `_.:/`, and `\%#`, with which escapes begin.
  @inline(__always)
  var isPlainBefore: Bool {
    let asked: (UInt64, UInt64) = (0x07ff_c028_0000_0000, 0x07ff_fffe_97ff_fffe)
    return (self & 0x40 == 0 ? asked.0 : asked.1) >> UInt64(self & 0x3f) & UInt64(~self >> 7) == 0
  }

  /// Whether no rule depends on this byte directly after an IPv4 address.
  ///
  /// This is true of all bytes but letters, digits, `_.-+~`, and `\%#`, with which escapes begin.
  @inline(__always)
  var isPlainBehind: Bool {
    let asked: (UInt64, UInt64) = (0x03ff_6828_0000_0000, 0x47ff_fffe_97ff_fffe)
    return (self & 0x40 == 0 ? asked.0 : asked.1) >> UInt64(self & 0x3f) & UInt64(~self >> 7) == 0
  }
}

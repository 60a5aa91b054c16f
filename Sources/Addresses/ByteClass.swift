/// The ASCII classes that the parsers and the search decide by.
extension UInt8 {
  @inline(__always)
  var isDigit: Bool { self &- 0x30 < 10 }

  @inline(__always)
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  @inline(__always)
  var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }

  /// An ASCII letter, digit or `_`: what makes a longer word of whatever it touches.
  @inline(__always)
  var isWord: Bool { isDigit || isLetter || self == 0x5f }

  /// Space, tab, line feed, vertical tab, form feed or return.
  @inline(__always)
  var isBlank: Bool { self == 0x20 || self &- 0x09 < 5 }

  /// The value of a hexadecimal digit; 16 or more for any other byte.
  ///
  /// Digits and letters follow each other at random, so that a branch between them would cost more
  /// than both.
  @inline(__always)
  var hexValue: UInt8 {
    let (digit, letter) = (self &- 0x30, (self | 0x20) &- 0x61)
    let other: UInt8 = letter < 6 ? letter &+ 10 : 0xff
    return digit < 10 ? digit : other
  }
}

extension Span where Element == UInt8 {
  /// The byte at a position; 0, which is in no class, before the first byte and past the last.
  @inline(__always)
  func byte(_ position: Int) -> UInt8 {
    position >= 0 && position < count ? self[position] : 0
  }
}

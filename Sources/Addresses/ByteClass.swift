/// The ASCII classes that the parsers and the search decide by.
extension UInt8 {
  @inlinable
  var isDigit: Bool { self &- 0x30 < 10 }

  @inlinable
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  @inlinable
  var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }

  /// An ASCII letter, digit or `_`: what makes a longer word of whatever it touches.
  @inlinable
  var isWord: Bool { isDigit || isLetter || self == 0x5f }

  /// Space, tab, line feed, vertical tab, form feed or return.
  @inlinable
  var isBlank: Bool { self == 0x20 || self &- 0x09 < 5 }

  /// The value of a hexadecimal digit; 16 or more for any other byte.
  @inlinable
  var hexValue: UInt8 {
    let digit = self &- 0x30
    if digit < 10 { return digit }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : 0xff
  }
}

extension Span where Element == UInt8 {
  /// The byte at a position; 0, which is in no class, before the first byte and past the last.
  @inline(__always)
  func byte(_ position: Int) -> UInt8 {
    position >= 0 && position < count ? self[position] : 0
  }
}

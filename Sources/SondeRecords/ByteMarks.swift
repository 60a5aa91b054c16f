/// Examines the eight bytes of a word at once.
///
/// Each function sets the high bit of the bytes it looks for. A borrow may mark bytes above a
/// marked one falsely, so only the lowest mark, and whether there is any, can be relied upon. The
/// technique is folklore; H. S. Warren, Hacker's Delight, 2nd edition, §6-1.
extension UInt64 {
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }

  @inline(__always)
  func marks(of byte: UInt8) -> UInt64 {
    let difference = self ^ (Self.ones &* UInt64(byte))
    return (difference &- Self.ones) & ~difference & Self.highs
  }

  /// Marks the ASCII bytes below one, itself at most 128.
  @inline(__always)
  func marks(below byte: UInt8) -> UInt64 {
    (self &- Self.ones &* UInt64(byte)) & ~self & Self.highs
  }

  /// Marks the bytes that must be escaped in a JSON string (RFC 8259 §7).
  @inline(__always)
  var jsonEscapes: UInt64 {
    marks(below: 0x20) | marks(of: UInt8(ascii: "\"")) | marks(of: UInt8(ascii: "\\"))
  }

  /// Marks the bytes that require quotes around a CSV field (RFC 4180 §2).
  @inline(__always)
  var csvSpecials: UInt64 {
    marks(of: UInt8(ascii: ",")) | marks(of: UInt8(ascii: "\"")) | marks(of: UInt8(ascii: "\r"))
      | marks(of: UInt8(ascii: "\n"))
  }

  /// Marks all bytes except printable ASCII characters.
  @inline(__always)
  var unprintables: UInt64 { marks(below: 0x20) | marks(of: 0x7f) | (self & Self.highs) }
}

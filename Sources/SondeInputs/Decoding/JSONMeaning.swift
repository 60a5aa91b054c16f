extension [UInt8] {
  /// Appends the decoded content of a JSON string (RFC 8259 §7) as UTF-8.
  ///
  /// Lone surrogates are encoded as if they were characters, and so equal only themselves. After a
  /// backslash, a character that is not an escape stands for itself.
  package mutating func append(meaningOfJSON text: Span<UInt8>) {
    var position = 0
    while position < text.count {
      let byte = text[position]
      position += 1
      guard byte == UInt8(ascii: "\\"), position < text.count else {
        append(byte)
        continue
      }
      let letter = text[position]
      position += 1
      if letter == UInt8(ascii: "u"), let scalar = text.scalarOfJSON(at: &position) {
        append(scalar: scalar)
      } else {
        append(Self.meaning(ofEscape: letter))
      }
    }
  }

  private static func meaning(ofEscape letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  /// Appends a code point in UTF-8.
  private mutating func append(scalar: UInt32) {
    switch scalar {
    case 0..<0x80: append(0, scalar)
    case 0x80..<0x800:
      append(0xc0, scalar >> 6)
      append(0x80, scalar & 0x3f)
    case 0x800..<0x1_0000:
      append(0xe0, scalar >> 12)
      append(0x80, scalar >> 6 & 0x3f)
      append(0x80, scalar & 0x3f)
    default:
      append(0xf0, scalar >> 18)
      append(0x80, scalar >> 12 & 0x3f)
      append(0x80, scalar >> 6 & 0x3f)
      append(0x80, scalar & 0x3f)
    }
  }

  private mutating func append(_ lead: UInt32, _ bits: UInt32) {
    append(UInt8(truncatingIfNeeded: lead | bits))
  }
}

extension Span<UInt8> {
  /// The character of `XXXX` after `\u`, or of a surrogate pair of such escapes; `nil` if none.
  fileprivate func scalarOfJSON(at position: inout Int) -> UInt32? {
    guard let first = unit(at: position) else { return nil }
    position += 4
    guard first & 0xfc00 == 0xd800, position + 6 <= count,
      self[position] == UInt8(ascii: "\\"), self[position + 1] == UInt8(ascii: "u"),
      let second = unit(at: position + 2), second & 0xfc00 == 0xdc00
    else { return first }
    position += 6
    return 0x1_0000 + (first & 0x3ff) << 10 + second & 0x3ff
  }

  private func unit(at position: Int) -> UInt32? {
    guard position + 4 <= count else { return nil }
    var unit: UInt32 = 0
    for index in position..<position + 4 {
      guard let digit = self[index].hexadecimal else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit; `nil` for any other character.
  @inline(__always)
  package var hexadecimal: UInt8? {
    let digit = self &- 0x30
    if digit < 10 { return digit }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }
}

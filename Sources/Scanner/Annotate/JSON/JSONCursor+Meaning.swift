// What the strings of a JSON text mean.
extension JSONCursor.Text {
  /// Appends what the string means: UTF-8, but for lone surrogates, which are encoded as if they
  /// were characters and so equal themselves alone.
  func append(meaningIn text: Span<UInt8>, to output: inout [UInt8]) {
    var position = range.lowerBound
    while position < range.upperBound {
      let byte = text[position]
      position += 1
      guard byte == UInt8(ascii: "\\") else {
        output.append(byte)
        continue
      }
      let letter = text[position]
      position += 1
      guard letter == UInt8(ascii: "u") else {
        output.append(Self.meaning(ofEscape: letter))
        continue
      }
      Self.append(scalar: Self.scalar(in: text, at: &position, before: range.upperBound), &output)
    }
  }

  /// Whether two strings mean the same.
  func equals(_ other: JSONCursor.Text, in text: Span<UInt8>) -> Bool {
    guard isEscaped || other.isEscaped else { return text.equals(range, other.range) }
    var (own, others) = ([UInt8](), [UInt8]())
    append(meaningIn: text, to: &own)
    other.append(meaningIn: text, to: &others)
    return own == others
  }

  /// Whether the string means a text.
  func equals(_ meaning: [UInt8], in text: Span<UInt8>) -> Bool {
    guard isEscaped else {
      guard range.count == meaning.count else { return false }
      return meaning.indices.allSatisfy { text[range.lowerBound + $0] == meaning[$0] }
    }
    var own: [UInt8] = []
    append(meaningIn: text, to: &own)
    return own == meaning
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

  /// The character of `\uXXXX` behind its `u`, or of two such that are a surrogate pair.
  private static func scalar(
    in text: Span<UInt8>,
    at position: inout Int,
    before end: Int
  ) -> UInt32 {
    let first = unit(in: text, at: position)
    position += 4
    guard first & 0xfc00 == 0xd800, position + 6 <= end, text[position] == UInt8(ascii: "\\"),
      text[position + 1] == UInt8(ascii: "u")
    else { return first }
    let second = unit(in: text, at: position + 2)
    guard second & 0xfc00 == 0xdc00 else { return first }
    position += 6
    return 0x1_0000 + (first & 0x3ff) << 10 + second & 0x3ff
  }

  private static func unit(in text: Span<UInt8>, at position: Int) -> UInt32 {
    (position..<position + 4).reduce(0) { $0 << 4 | UInt32(text[$1].hexadecimal ?? 0) }
  }

  /// Appends a code point as UTF-8 does.
  private static func append(scalar: UInt32, _ output: inout [UInt8]) {
    func append(_ lead: UInt32, _ shift: UInt32) {
      output.append(UInt8(truncatingIfNeeded: lead | scalar >> shift))
    }
    func appendRest(_ shift: UInt32) {
      output.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3f))
    }
    switch scalar {
    case 0..<0x80: append(0, 0)
    case 0x80..<0x800:
      append(0xc0, 6)
      appendRest(0)
    case 0x800..<0x1_0000:
      append(0xe0, 12)
      appendRest(6)
      appendRest(0)
    default:
      append(0xf0, 18)
      appendRest(12)
      appendRest(6)
      appendRest(0)
    }
  }
}

extension Span<UInt8> {
  /// Whether the bytes at two places are the same.
  @inline(__always)
  func equals(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count
    where self[left.lowerBound &+ offset] != self[right.lowerBound &+ offset] {
      return false
    }
    return true
  }
}

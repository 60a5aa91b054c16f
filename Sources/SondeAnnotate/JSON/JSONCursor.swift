import SondeInputs

#if arch(x86_64)
  import CSondeByteMasks
#endif

/// A position in a JSON text (RFC 8259), advanced token by token.
///
/// Each function returns whether there was such a token; otherwise the text is not JSON.
struct JSONCursor {
  var position: Int

  /// Whether a string may contain non-ASCII bytes.
  private(set) var sawHighBytes = false

  /// A string without its quotes.
  struct Text: Equatable {
    let range: Range<Int>
    let isEscaped: Bool
  }

  init(at position: Int) { self.position = position }

  @inline(__always)
  mutating func skipSpace(in text: Span<UInt8>) {
    while text.byte(orNUL: position).isJSONSpace { position &+= 1 }
  }

  /// A single byte.
  @inline(__always)
  mutating func take(_ scalar: Unicode.Scalar, of text: Span<UInt8>) -> Bool {
    guard text.byte(orNUL: position) == UInt8(ascii: scalar) else { return false }
    position &+= 1
    return true
  }

  /// A string with its quotes.
  @inline(__always)
  mutating func takeString(of text: Span<UInt8>) -> Text? {
    guard take("\"", of: text) else { return nil }
    let start = position
    var isEscaped = false
    while true {
      skipPlain(of: text)
      if take("\"", of: text) {
        return Text(range: start..<position &- 1, isEscaped: isEscaped)
      }
      guard takeEscape(of: text) else { return nil }
      isEscaped = true
    }
  }

  /// Advances to the next quote, backslash or control character.
  @inline(__always)
  private mutating func skipPlain(of text: Span<UInt8>) {
    #if arch(x86_64)
      let bytes = unsafe text.bytes
      while position &+ 16 <= text.count {
        let marks = unsafe sonde_find_string_marks(
          bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: SIMD16<UInt8>.self)
        )
        // May include bytes after the stop, which only causes an unnecessary check.
        sawHighBytes = sawHighBytes || marks.high != 0
        guard marks.stops == 0 else {
          position &+= marks.stops.trailingZeroBitCount
          return
        }
        position &+= 16
      }
    #endif
    while !text.byte(orNUL: position).isJSONStop {
      sawHighBytes = sawHighBytes || text[position] >= 0x80
      position &+= 1
    }
  }

  private mutating func takeEscape(of text: Span<UInt8>) -> Bool {
    guard take("\\", of: text) else { return false }
    let letter = text.byte(orNUL: position)
    position &+= 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard text.byte(orNUL: position).hexadecimal != nil else { return false }
        position &+= 1
      }
      return true
    default: return false
    }
  }

  /// A number, `true`, `false` or `null`.
  @inline(__always)
  mutating func takeScalar(of text: Span<UInt8>) -> Bool {
    switch text.byte(orNUL: position) {
    case UInt8(ascii: "t"): takeWord("true", of: text)
    case UInt8(ascii: "f"): takeWord("false", of: text)
    case UInt8(ascii: "n"): takeWord("null", of: text)
    default: takeNumber(of: text)
    }
  }

  private mutating func takeWord(_ word: StaticString, of text: Span<UInt8>) -> Bool {
    word.withUTF8Buffer { letters in
      for index in letters.indices {
        guard unsafe letters[index] == text.byte(orNUL: position) else { return false }
        position &+= 1
      }
      return true
    }
  }

  private mutating func takeNumber(of text: Span<UInt8>) -> Bool {
    _ = take("-", of: text)
    if !take("0", of: text) { guard takeDigits(of: text) else { return false } }
    if take(".", of: text) { guard takeDigits(of: text) else { return false } }
    guard text.byte(orNUL: position) | 0x20 == UInt8(ascii: "e") else { return true }
    position &+= 1
    if !take("-", of: text) { _ = take("+", of: text) }
    return takeDigits(of: text)
  }

  /// Skips one or more digits.
  private mutating func takeDigits(of text: Span<UInt8>) -> Bool {
    let start = position
    while text.byte(orNUL: position) &- 0x30 < 10 { position &+= 1 }
    return position > start
  }
}

// MARK: - The decoded content of strings

extension JSONCursor.Text {
  func append(meaningIn text: Span<UInt8>, to output: inout [UInt8]) {
    output.append(meaningOfJSON: text.extracting(range))
  }

  /// Whether two strings are equal when decoded.
  func equals(_ other: JSONCursor.Text, in text: Span<UInt8>) -> Bool {
    guard isEscaped || other.isEscaped else { return text.equals(range, other.range) }
    var (own, others) = ([UInt8](), [UInt8]())
    append(meaningIn: text, to: &own)
    other.append(meaningIn: text, to: &others)
    return own == others
  }

  /// Whether the string equals a decoded text.
  func equals(_ meaning: [UInt8], in text: Span<UInt8>) -> Bool {
    guard isEscaped else { return text.holds(meaning, at: range) }
    var own: [UInt8] = []
    append(meaningIn: text, to: &own)
    return own == meaning
  }
}

extension Span<UInt8> {
  /// The byte at a position; NUL, which never occurs in JSON, at the end.
  @inline(__always)
  func byte(orNUL place: Int) -> UInt8 { place < count ? self[place] : 0 }

  @inline(__always)
  fileprivate func equals(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count
    where self[left.lowerBound &+ offset] != self[right.lowerBound &+ offset] {
      return false
    }
    return true
  }
}

extension UInt8 {
  /// Whether this byte needs special treatment within a string.
  @inline(__always)
  fileprivate var isJSONStop: Bool {
    self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }
}

#if arch(x86_64)
  import CSondeByteMasks
#endif

/// The fields of a text, parted by quotes, tabs and line ends, escaped ones too.
struct LogFields {
  /// The nearest thing before a place that tells what field it lies in.
  private struct Sign {
    enum Kind { case mozilla, quote, blank }

    let kind: Kind
    let start: Int
    /// Where the field begins, if it begins with this.
    let end: Int
  }

  /// Up to where the text was looked at, and the last sign there.
  private var known = (end: 0, sign: Sign?.none)

  /// The field that products were last looked for in, and up to where it is known to hold no second
  /// one; `nil` where it does not begin with one.
  private var searched = (start: -1, end: Int?.none)

  /// Whether the field around an address is one of products, of which the address is a version.
  ///
  /// That is when `Mozilla/` stands before it, or when a quote and a product begin the field and
  /// another product or a comment follows.
  mutating func holdProducts(
    _ text: Span<UInt8>,
    around address: Range<Int>,
    from floor: Int
  ) -> Bool {
    guard let sign = sign(text, before: address.lowerBound, from: floor) else { return false }
    switch sign.kind {
    case .mozilla: return true
    case .blank: return false
    case .quote:
      let limit = min(text.count, address.upperBound &+ LogMemory.reach)
      return holdsProducts(text, from: sign.end, to: limit)
    }
  }

  /// Whether a product begins at the begin of a field, and another one or a comment follows.
  ///
  /// What was seen for an earlier address of the field need not be looked at again.
  private mutating func holdsProducts(
    _ text: Span<UInt8>,
    from start: Int,
    to limit: Int
  ) -> Bool {
    if searched.start != start {
      // It ends before the address, whose `/` is no part of a name.
      searched = (start, Self.endOfProduct(text, from: start, to: limit))
    }
    guard var position = searched.end else { return false }
    while true {
      // What the limit may cut short, `/` and a digit, is looked at again.
      if position &+ 2 &* LogCharacter.longestEscape <= limit { searched.end = position }
      let next = LogCharacter(text, from: position, to: limit)
      switch next.byte {
      case UInt8(ascii: "\""), 0x09, 0x0a: return false
      case UInt8(ascii: "("): return true
      case UInt8(ascii: "/"):
        let digit = LogCharacter(text, from: next.edge, to: limit)
        if digit.byte.isDigit, ProductName(text, endingAt: position, from: start) != nil {
          return true
        }
      default:
        if next.edge == limit { return false }
      }
      position = next.edge
    }
  }

  /// The end of the name, `/` and digit that begin at a position.
  private static func endOfProduct(_ text: Span<UInt8>, from start: Int, to limit: Int) -> Int? {
    var next = LogCharacter(text, from: start, to: limit)
    guard next.byte.isLetter else { return nil }
    while next.byte.isNameCharacter { next = LogCharacter(text, from: next.edge, to: limit) }
    guard next.byte == UInt8(ascii: "/") else { return nil }
    let digit = LogCharacter(text, from: next.edge, to: limit)
    return digit.byte.isDigit ? digit.edge : nil
  }
}

// MARK: - Signs

extension LogFields {
  /// The most bytes of a sign: `Mozilla` and an escaped `/`.
  private static let longestSign = 7 + LogCharacter.longestEscape

  /// The nearest sign that ends before a place, no farther back than `floor`.
  private mutating func sign(_ text: Span<UInt8>, before end: Int, from floor: Int) -> Sign? {
    // What was seen from an earlier address need not be looked at again.
    let begin = known.end <= end ? max(floor, known.end &- Self.longestSign) : floor
    var sign = Self.sign(text, before: end, downTo: begin, from: floor)
    if sign == nil, begin > floor { sign = known.sign }
    known = (end, sign)
    guard let sign, sign.start >= floor else { return nil }
    return sign
  }

  private static func sign(
    _ text: Span<UInt8>,
    before end: Int,
    downTo begin: Int,
    from floor: Int
  ) -> Sign? {
    var position = end
    while position > begin {
      #if arch(x86_64)
        if position >= 64 {
          let marks = marks(text, before: position)
          var rest = marks
          while rest != 0 {
            let index = 63 &- rest.leadingZeroBitCount
            let start = position &- 64 &+ index
            guard start >= begin else { return nil }
            if let sign = Self.sign(text, at: start, before: end, floor) { return sign }
            rest &= ~(1 << UInt64(index))
          }
          position &-= 64
          continue
        }
      #endif
      position &-= 1
      if let sign = Self.sign(text, at: position, before: end, floor) { return sign }
    }
    return nil
  }

  /// The bytes of `Mozilla`, the first one second lowest.
  private static let mozilla: UInt64 = 0x616c_6c69_7a6f_4d00

  /// The sign that begins at a position, if it ends before a place.
  private static func sign(
    _ text: Span<UInt8>,
    at start: Int,
    before end: Int,
    _ floor: Int
  ) -> Sign? {
    switch text[start] {
    case UInt8(ascii: "M"):
      guard start &+ 8 <= end else { return nil }
      let name = unsafe text.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: start,
        as: UInt64.self
      )
      guard name.littleEndian << 8 == Self.mozilla else { return nil }
      let slash = LogCharacter(text, from: start &+ 7, to: end)
      return slash.byte == UInt8(ascii: "/")
        ? Sign(kind: .mozilla, start: start, end: slash.edge) : nil
    case UInt8(ascii: "\""), 0x09, 0x0a, LogCharacter.backslash, LogCharacter.percent,
      LogCharacter.hash:
      return border(text, at: start, before: end, floor)
    default: return nil
    }
  }

  /// The quote, tab or line end that begins at a position, if it ends before a place.
  private static func border(
    _ text: Span<UInt8>,
    at start: Int,
    before end: Int,
    _ floor: Int
  ) -> Sign? {
    let border = LogCharacter(text, from: start, to: end)
    let isQuote = border.byte == UInt8(ascii: "\"")
    guard isQuote || border.byte == 0x09 || border.byte == 0x0a else { return nil }
    if text[start] == LogCharacter.backslash {
      guard LogCharacter.isOpen(text, start, floor) else { return nil }
    }
    return Sign(kind: isQuote ? .quote : .blank, start: start, end: border.edge)
  }

  #if arch(x86_64)
    /// Where of the 64 bytes before a position a sign may begin.
    private static func marks(_ text: Span<UInt8>, before end: Int) -> UInt64 {
      let (bytes, base) = unsafe (text.bytes, end &- 64)
      return unsafe sonde_find_field_marks(
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 16, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 32, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 48, as: SIMD16<UInt8>.self)
      )
    }
  #endif
}

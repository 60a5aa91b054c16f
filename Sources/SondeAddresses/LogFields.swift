#if arch(x86_64)
  import CSondeByteMasks
#endif

/// The fields of a text, separated by quotes, tabs and line ends, also escaped ones.
struct LogFields {
  /// The nearest text before a position that determines its field.
  private struct Sign {
    enum Kind { case mozilla, quote, blank }

    let kind: Kind
    let start: Int
    /// The start of the field, if this sign begins one.
    let end: Int
  }

  /// The end of the text scanned so far, and the last sign in it.
  private var known = (end: 0, sign: Sign?.none)

  /// The field last searched for products, and the position up to which it holds no second one.
  ///
  /// The position is `nil` if the field does not begin with a product.
  private var searched = (start: -1, end: Int?.none)

  /// Whether the field around an address lists products, so that the address is a version.
  ///
  /// That is the case if `Mozilla/` precedes it, or if a quote and a product begin the field and
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

  /// Whether the field begins with a product that is followed by another one or a comment.
  ///
  /// Text searched for an earlier address of the field is not searched again.
  private mutating func holdsProducts(_ text: Span<UInt8>, from start: Int, to limit: Int) -> Bool {
    if searched.start != start {
      // It ends before the address: the `/` there is not part of a name.
      searched = (start, Self.endOfProduct(text, from: start, to: limit))
    }
    guard var position = searched.end else { return false }
    while true {
      // A `/` and a digit that the limit cuts off are read again.
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

  /// The end of the name, `/` and digit at a position.
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
  /// The length of the longest sign in bytes: `Mozilla` and an escaped `/`.
  private static let longestSign = 7 + LogCharacter.longestEscape

  /// The nearest sign before a position, not before `floor`.
  private mutating func sign(_ text: Span<UInt8>, before end: Int, from floor: Int) -> Sign? {
    // Text scanned for an earlier address is not scanned again.
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

  /// The bytes of `Mozilla`, starting at the second lowest byte.
  private static let mozilla: UInt64 = 0x616c_6c69_7a6f_4d00

  /// The sign at a position, if it ends before another position.
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

  /// The quote, tab or line end at a position, if it ends before another position.
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
    /// The possible starts of a sign in the 64 bytes before a position.
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

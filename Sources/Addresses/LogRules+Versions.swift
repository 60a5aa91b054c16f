// Which IPv4 addresses are the version of a product (RFC 9110 §10.1.5).

#if arch(x86_64)
  import CByteMasks
#endif

extension LogRules {
  /// Whether an IPv4 address is the version of a product, `NAME/1.2.3.4`, among others in its field;
  /// `slash` is the character before it, and what lies before `floor` does not count.
  static func isVersion(
    _ text: Span<UInt8>,
    _ match: LogMatch,
    _ slash: LogCharacter,
    from floor: Int,
    _ memory: inout LogMemory
  ) -> Bool {
    slash.byte == UInt8(ascii: "/")
      && followsName(text, slash.edge, from: floor)
      && !hasPort(text, at: match.end)
      && memory.fields.holdProducts(text, around: match.start..<match.end, from: floor)
  }

  /// Whether the name of a product ends at a position: a token that begins with a letter, and
  /// follows no `/`, as parts of a path do.
  static func followsName(_ text: Span<UInt8>, _ end: Int, from floor: Int) -> Bool {
    var first: UInt8 = 0
    var before = LogCharacter(text, endingAt: end, from: floor)
    while before.byte.isNameCharacter {
      first = before.byte
      before = LogCharacter(text, endingAt: before.edge, from: floor)
    }
    return first.isLetter && before.byte != UInt8(ascii: "/")
  }

  /// Whether a `:`, `(` or `/` with a digit follows an address: a port, or the length of a prefix.
  private static func hasPort(_ text: Span<UInt8>, at end: Int) -> Bool {
    let limit = min(text.count, end &+ LogMemory.reach)
    let next = LogCharacter(text, from: end, to: limit)
    return next.byte.beginsPort && LogCharacter(text, from: next.edge, to: limit).byte.isDigit
  }
}

// MARK: - The short way

extension LogRules {
  /// Whether a name of letters alone, which follows a blank, and a `/` stand right before an
  /// address, and no port may stand behind it.
  ///
  /// So nearly every browser's version is written. Only its field is then to be asked about.
  @inline(__always)
  static func followsPlainName(_ text: Span<UInt8>, _ quad: DottedQuad) -> Bool {
    #if arch(x86_64)
      let slash = quad.start &- 1
      guard slash >= 16, text[slash] == UInt8(ascii: "/"), !text.byte(quad.end).beginsPort else {
        return false
      }
      let letters = unsafe sonde_find_letters(
        text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: slash &- 16, as: SIMD16<UInt8>.self)
      )
      let count = (~(letters << 16)).leadingZeroBitCount
      guard (1...15).contains(count) else { return false }
      return endsBlank(text, at: slash &- count)
    #else
      return false
    #endif
  }

  /// Whether a blank ends at a position, or what stands for one in logs of fields without blanks.
  @inline(__always)
  private static func endsBlank(_ text: Span<UInt8>, at end: Int) -> Bool {
    switch text.byte(end &- 1) {
    case UInt8(ascii: " "), UInt8(ascii: "+"): true
    case UInt8(ascii: "0"):
      text.byte(end &- 2) == UInt8(ascii: "2") && text.byte(end &- 3) == LogCharacter.percent
    default: false
    }
  }

  /// Appends an address behind a plain name, unless it is the version of a product.
  static func named(
    _ text: Span<UInt8>,
    _ quad: DottedQuad,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int {
    let floor = max(0, quad.start &- LogMemory.reach)
    if !memory.fields.holdProducts(text, around: quad.start..<quad.end, from: floor) {
      matches.append(quad.match)
    }
    return quad.end
  }
}

extension UInt8 {
  /// Whether a digit behind this makes a port of it, or the length of a prefix.
  @inline(__always)
  fileprivate var beginsPort: Bool {
    self == UInt8(ascii: ":") || self == UInt8(ascii: "(") || self == UInt8(ascii: "/")
  }

  /// A `tchar` of RFC 9110 §5.6.2, but `+`, which stands for a blank in some logs.
  @inline(__always)
  var isNameCharacter: Bool {
    // Letters, digits and !#$%&'*-.^_`|~.
    let set: (UInt64, UInt64) = (0x03ff_64fa_0000_0000, 0x57ff_ffff_c7ff_fffe)
    return self < 0x80 && (self & 0x40 == 0 ? set.0 : set.1) >> UInt64(self & 0x3f) & 1 == 1
  }
}

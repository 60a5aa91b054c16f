// Which IPv4 addresses are the version of a product (RFC 9110 §10.1.5).

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
    switch next.byte {
    case UInt8(ascii: ":"), UInt8(ascii: "("), UInt8(ascii: "/"):
      return LogCharacter(text, from: next.edge, to: limit).byte.isDigit
    default: return false
    }
  }
}

extension UInt8 {
  /// A `tchar` of RFC 9110 §5.6.2, but `+`, which stands for a blank in some logs.
  @inline(__always)
  var isNameCharacter: Bool {
    // Letters, digits and !#$%&'*-.^_`|~.
    let set: (UInt64, UInt64) = (0x03ff_64fa_0000_0000, 0x57ff_ffff_c7ff_fffe)
    return self < 0x80 && (self & 0x40 == 0 ? set.0 : set.1) >> UInt64(self & 0x3f) & 1 == 1
  }
}

#if arch(x86_64)
  import CSondeByteMasks

  /// An IPv6 address of hexadecimal groups that no rule needs to examine.
  ///
  /// It begins with a group that is in use by itself, ends with a digit, and touches no dot, colon,
  /// escape or word. This fast path covers nearly every IPv6 address of a log; ``LogRules`` handles
  /// all others. It parses 48 bytes at once by the positions of colons and digits.
  struct PlainGroups {
    let start: Int
    let end: Int
    let address: Address

    /// Parses the groups, the first of which ends at a colon.
    init?(_ text: Span<UInt8>, firstColon colon: Int) {
      // The first colon is bit 5, after a group and the byte before it.
      let base = colon &- 5
      guard base >= 0, base &+ 48 <= text.count else { return nil }
      let bytes = unsafe text.bytes
      let marks = unsafe sonde_find_group_marks(
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 16, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 32, as: SIMD16<UInt8>.self)
      )
      let first = 5 &- (~(marks.digits << 59)).leadingZeroBitCount
      let last = (~(marks.digits | marks.colons) & ~0x1f).trailingZeroBitCount
      guard (1...4).contains(first), last < 48,
        marks.digits >> UInt64(last &- 1) & 1 == 1,
        !Self.mayTouch(text[base &+ first &- 1]), !Self.mayTouch(text[base &+ last])
      else { return nil }
      let colons = marks.colons & ~0x1f & (1 << UInt64(last) &- 1)
      guard let number = Self.number(of: bytes, at: base, first, last, colons),
        Self.isInUse(number)
      else { return nil }
      (start, end) = (base &+ first, base &+ last)
      address = Address(number: number)
    }

    /// Whether a byte next to an address matters to the rules.
    @inline(__always)
    private static func mayTouch(_ byte: UInt8) -> Bool { !byte.isPlainBefore }

    /// Whether the first group is in use, whatever follows it.
    @inline(__always)
    private static func isInUse(_ number: UInt128) -> Bool {
      let group = UInt16(truncatingIfNeeded: number >> 112)
      return group >> 13 == 1 || group >= 0xfc00
    }

    @inline(__always)
    private static func number(
      of bytes: RawSpan,
      at base: Int,
      _ first: Int,
      _ last: Int,
      _ colons: UInt64
    ) -> UInt128? {
      var parser = GroupParser()
      var (start, rest) = (first, colons | 1 << UInt64(last))
      while rest != 0 {
        let end = rest.trailingZeroBitCount
        let length = end &- start
        if length == 0 {
          guard parser.gap < 0 else { return nil }
          parser.gap = parser.count
        } else {
          guard length <= 4, parser.count < 8 else { return nil }
          let group = group(bytes, endingAt: base &+ end, length: length)
          parser.bits = parser.bits << 16 | UInt128(group)
          parser.count &+= 1
        }
        start = end &+ 1
        rest &= rest &- 1
      }
      return parser.number
    }

    /// Parses one to four hexadecimal digits; at least four bytes must precede their end.
    @inline(__always)
    private static func group(_ bytes: RawSpan, endingAt end: Int, length: Int) -> UInt32 {
      let text = unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: end &- 4,
        as: UInt32.self
      )
      let other = UInt32(truncatingIfNeeded: 32 &- 8 &* length)
      let digits = (text &>> other) &<< other
      // The low bits of a letter are its value less 9.
      let values = digits & 0x0f0f_0f0f &+ (digits >> 6 & 0x0101_0101) &* 9
      let pairs = (values & 0x000f_000f) << 4 | values >> 8 & 0x000f_000f
      return pairs << 8 & 0xff00 | pairs >> 16
    }
  }
#endif

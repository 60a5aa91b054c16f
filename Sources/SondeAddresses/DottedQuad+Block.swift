#if arch(x86_64)
  import CSondeByteMasks

  extension DottedQuad {
    /// Parses the octets from the positions of dots and digits in 16 bytes, almost without
    /// branches.
    ///
    /// The number of digits per octet is unpredictable, and a mispredicted branch would take longer
    /// than this. The result is that of ``init(_:firstDot:)``.
    @inline(__always)
    init?(_ text: Span<UInt8>, byBlockWithFirstDot dot: Int) {
      // Four bytes up to the first dot, and the longest possible rest.
      guard dot >= 4, dot &+ 13 <= text.count else {
        self.init(text, firstDot: dot)
        return
      }
      let bytes = unsafe text.bytes
      let base = dot &- 3
      let marks = unsafe sonde_find_quad_marks(
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base, as: SIMD16<UInt8>.self)
      )
      // The first dot is bit 3; missing dots are assumed to follow the 16 bytes.
      let dots = marks.dots & ~0xf | 0x3_0000
      let second = dots.trailingZeroBitCount
      let third = (dots & (dots &- 1)).trailingZeroBitCount
      let inner = marks.digits | 1 << UInt32(second) | 1 << UInt32(third)
      let end = (~inner & ~0xf).trailingZeroBitCount
      let first = (~(marks.digits << 29)).leadingZeroBitCount
      let lengths = (first, second &- 4, third &- second &- 1, end &- third &- 1)
      guard Self.isLength(lengths.0), Self.isLength(lengths.1), Self.isLength(lengths.2),
        Self.isLength(lengths.3)
      else { return nil }
      let octets = (
        Octet(bytes, endingAt: dot, length: lengths.0),
        Octet(bytes, endingAt: base &+ second, length: lengths.1),
        Octet(bytes, endingAt: base &+ third, length: lengths.2),
        Octet(bytes, endingAt: base &+ end, length: lengths.3)
      )
      guard octets.0.error | octets.1.error | octets.2.error | octets.3.error >= 0 else {
        return nil
      }
      let number =
        octets.0.value << 24 | octets.1.value << 16 | octets.2.value << 8 | octets.3.value
      self.init(number: UInt32(truncatingIfNeeded: number), start: dot &- first, end: base &+ end)
    }

    /// Whether an octet may have this number of digits.
    @inline(__always)
    private static func isLength(_ count: Int) -> Bool { UInt(bitPattern: count &- 1) < 3 }

    /// One to three digits parsed as a number.
    private struct Octet {
      let value: Int32

      /// Negative if the number is above 255 or has a leading zero.
      let error: Int32

      /// Parses the digits before a position, which at least four bytes must precede.
      @inline(__always)
      init(_ bytes: RawSpan, endingAt end: Int, length: Int) {
        let text = unsafe bytes.unsafeLoadUnaligned(
          fromUncheckedByteOffset: end &- 4,
          as: UInt32.self
        )
        let other = UInt32(truncatingIfNeeded: 32 &- 8 &* length)
        let digits = Int32(truncatingIfNeeded: (text &>> other) &<< other & 0x0f0f_0f00)
        let hundreds = digits >> 8 & 0xf
        let tens = digits >> 16 & 0xf
        value = hundreds &* 100 &+ tens &* 10 &+ digits >> 24
        // The least number with one digit is 0, with two 10, with three 100.
        let least = 0x640a_0000 &>> (8 &* Int32(truncatingIfNeeded: length)) & 0xff
        error = (value &- least) | (255 &- value)
      }
    }
  }
#endif

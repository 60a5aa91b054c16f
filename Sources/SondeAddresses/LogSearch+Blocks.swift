#if arch(x86_64)
  import CSondeByteMasks

  /// Searches blocks of 64 bytes, where a few instructions find the possible starts of addresses.
  ///
  /// Returns the start of the rest, shorter than a block, which is to be searched byte by byte.
  func searchBlocks(
    of text: Span<UInt8>,
    from start: Int,
    _ memory: inout LogMemory,
    into matches: inout [LogMatch]
  ) -> Int {
    var (base, resume) = (start, start)
    var marks = MarkList()
    while base &+ MarkBlock.size <= text.count {
      marks.fill(from: text, base: &base)
      for index in 0..<marks.count {
        var mark = marks[index]
        guard mark >= resume else { continue }
        if text[mark] == UInt8(ascii: ":") { mark = firstColon(text, of: mark, from: resume) }
        guard isMark(text, mark) else { continue }
        resume = LogRules.decide(on: text, at: mark, byBlocks: true, &memory, into: &matches)
      }
      base = max(base, resume)
    }
    // A mark before this position may belong to the same run as the rest.
    return startOfRun(text, of: base, from: resume)
  }

  /// The first colon of the run of hexadecimal digits and colons that contains a colon.
  private func firstColon(_ text: Span<UInt8>, of colon: Int, from start: Int) -> Int {
    var first = startOfRun(text, of: colon, from: start)
    while text[first] != UInt8(ascii: ":") { first &+= 1 }
    return first
  }

  /// The start of the hexadecimal digits and colons before a position.
  private func startOfRun(_ text: Span<UInt8>, of end: Int, from start: Int) -> Int {
    var first = end
    while first > start,
      text[first &- 1] == UInt8(ascii: ":") || text[first &- 1].isHexDigit
    { first &-= 1 }
    return first
  }

  /// The marks of several blocks, collected first because the processor cannot predict which blocks
  /// have any.
  private struct MarkList {
    private(set) var count = 0
    private var positions = InlineArray<256, Int>(repeating: 0)

    @inline(__always)
    subscript(index: Int) -> Int { unsafe positions[unchecked: index] }

    /// Collects the marks from a position on, and advances it past the last block read.
    @inline(__always)
    mutating func fill(from text: Span<UInt8>, base: inout Int) {
      count = 0
      while base &+ MarkBlock.size <= text.count, count <= positions.count &- MarkBlock.step {
        append(MarkBlock(text, at: base).marks, base)
        base &+= MarkBlock.step
      }
    }

    /// Adds the marks of a block; most blocks have none or one.
    @inline(__always)
    private mutating func append(_ marks: UInt64, _ base: Int) {
      unsafe positions[unchecked: count] = base &+ marks.trailingZeroBitCount
      count &+= marks == 0 ? 0 : 1
      var rest = marks & (marks &- 1)
      while rest != 0 {
        unsafe positions[unchecked: count] = base &+ rest.trailingZeroBitCount
        count &+= 1
        rest &= rest &- 1
      }
    }
  }

  /// The dots and colons of 64 bytes; the lowest bit is the first byte.
  private struct MarkBlock {
    static var size: Int { 64 }

    /// The number of bytes whose marks can be judged without the next block, since a mark depends
    /// on the 15 bytes after it.
    static var step: Int { 48 }

    private let dots: UInt64
    private let colons: UInt64

    @inline(__always)
    init(_ text: Span<UInt8>, at base: Int) {
      let bytes = unsafe text.bytes
      let found = unsafe sonde_find_marks(
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 16, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 32, as: SIMD16<UInt8>.self),
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: base &+ 48, as: SIMD16<UInt8>.self)
      )
      (dots, colons) = (found.dots, found.colons)
    }

    /// The marks in the first ``step`` bytes that may begin an address.
    ///
    /// These are the first of three dots with one to three bytes between them, of two adjacent
    /// colons, and of four marks with one to four bytes between them.
    @inline(__always)
    var marks: UInt64 {
      var marks = dots & Self.before(dots & Self.before(dots, 2...4), 2...4)
      marks |= colons & colons >> 1
      if Self.hasFour(colons) {
        let groups = colons & Self.before(colons & Self.before(colons, 2...5), 2...5)
        marks |= colons & Self.before(groups, 2...5)
      }
      return marks & (1 << UInt64(Self.step) &- 1)
    }

    /// Whether there are at least four marks; faster than counting them.
    @inline(__always)
    private static func hasFour(_ marks: UInt64) -> Bool {
      var rest = marks
      for _ in 0..<3 { rest &= rest &- 1 }
      return rest != 0
    }

    /// The positions that precede a mark by one of some distances.
    @inline(__always)
    private static func before(_ marks: UInt64, _ distances: ClosedRange<UInt64>) -> UInt64 {
      distances.reduce(0) { $0 | marks >> $1 }
    }
  }
#endif

#if arch(x86_64)
  import CSondeByteMasks

  /// The search by blocks of 64 bytes, of which a few instructions find the marks that may begin an
  /// address; only these are asked about.
  ///
  /// - Returns: Where the rest, shorter than a block, is to be searched byte by byte.
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
    // A mark before this may belong to what the rest begins with, and tell nothing alone.
    return startOfRun(text, of: base, from: resume)
  }

  /// The first colon of the hexadecimal digits and colons that a colon lies in.
  private func firstColon(_ text: Span<UInt8>, of colon: Int, from start: Int) -> Int {
    var first = startOfRun(text, of: colon, from: start)
    while text[first] != UInt8(ascii: ":") { first &+= 1 }
    return first
  }

  /// Where the hexadecimal digits and colons that end before a position begin.
  private func startOfRun(_ text: Span<UInt8>, of end: Int, from start: Int) -> Int {
    var first = end
    while first > start,
      text[first &- 1] == UInt8(ascii: ":") || text[first &- 1].isHexDigit
    {
      first &-= 1
    }
    return first
  }

  /// The marks of some blocks, gathered before any is asked about: whether a block holds one is hard
  /// to guess, and here nothing hangs on it.
  private struct MarkList {
    private(set) var count = 0
    private var positions = InlineArray<256, Int>(repeating: 0)

    @inline(__always)
    subscript(index: Int) -> Int { unsafe positions[unchecked: index] }

    /// Gathers the marks from a position on, and moves it behind the last block looked at.
    @inline(__always)
    mutating func fill(from text: Span<UInt8>, base: inout Int) {
      count = 0
      while base &+ MarkBlock.size <= text.count, count <= positions.count &- MarkBlock.step {
        append(MarkBlock(text, at: base).marks, base)
        base &+= MarkBlock.step
      }
    }

    /// Adds the marks of a block, of which most have none or one.
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

  /// Where the dots and colons of 64 bytes are, the lowest bit standing for the first byte.
  private struct MarkBlock {
    static var size: Int { 64 }

    /// The marks that are known to begin an address or not without the bytes behind the block:
    /// a mark is told by the 15 bytes that follow.
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

    /// The marks of the first ``step`` bytes that may begin an address: the first of three dots
    /// with room for one to three digits between them, one of two colons side by side, and the
    /// first of four with room for one to four digits between them.
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

    /// Whether there are four marks or more; counting them would take longer.
    @inline(__always)
    private static func hasFour(_ marks: UInt64) -> Bool {
      var rest = marks
      for _ in 0..<3 { rest &= rest &- 1 }
      return rest != 0
    }

    /// The places that lie before a mark by one of some distances.
    @inline(__always)
    private static func before(_ marks: UInt64, _ distances: ClosedRange<UInt64>) -> UInt64 {
      distances.reduce(0) { $0 | marks >> $1 }
    }
  }
#endif

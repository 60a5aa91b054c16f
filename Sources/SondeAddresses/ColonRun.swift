/// A maximal run of hexadecimal digits and colons, with the dotted tail that may follow.
struct ColonRun {
  /// The start of the run, without a word of five digits or more before the first colon.
  let start: Int
  let end: Int

  let lastColon: Int

  /// The positions close enough to the end for an address to start there.
  let starts: Range<Int>

  /// The positions where an address may end, the farthest first.
  let ends: StrideThrough<Int>

  /// Whether there are enough colons for an address.
  let mayBeAddress: Bool

  /// Extends the run from its first colon in both directions.
  init(_ text: Span<UInt8>, colon: Int) {
    start = LogRules.startOfDigits(text, endingAt: colon, most: 4) { $0.isHexDigit }
    var (end, last, count, hasDouble) = (colon &+ 1, colon, 1, false)
    while true {
      let byte = text.byte(end)
      if byte == UInt8(ascii: ":") {
        hasDouble = hasDouble || last == end &- 1
        (last, count) = (end, count &+ 1)
      } else if !byte.isHexDigit {
        break
      }
      end &+= 1
    }
    self.end = end
    lastColon = last
    mayBeAddress = hasDouble || count >= 6
    // Two colons may follow the longest address.
    starts = max(start, end &- Address.longestText &- 2)..<end
    ends = Self.ends(text, from: start, to: end, lastColon: last)
  }

  private static func ends(
    _ text: Span<UInt8>,
    from start: Int,
    to end: Int,
    lastColon: Int
  ) -> StrideThrough<Int> {
    if text.byte(end) == UInt8(ascii: "."), let tail = DottedQuad(text, at: lastColon &+ 1) {
      return stride(from: tail.end, through: tail.end, by: -2)
    }
    var last = end
    while last > start, text[last &- 1] == UInt8(ascii: ":") { last &-= 1 }
    return stride(from: end &- last >= 2 ? last &+ 2 : last, through: last, by: -2)
  }
}

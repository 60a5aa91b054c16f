import Addresses

/// A slice of a text, with as much of its surroundings as the search of it needs.
struct LogSlice: SearchedSlice {
  /// The number of the input.
  var input = 0

  /// The text around the slice, and perhaps room behind it.
  var bytes: [UInt8] = []

  /// The bytes of the text.
  var count = 0

  /// Where the slice begins in the text.
  var start = 0

  /// Where the slice ends in the text.
  var cut = LogCut(offset: 0, isClean: true)

  /// The addresses that begin in the slice, in order; their places are offsets into ``bytes``.
  private(set) var matches: [LogMatch] = []

  /// The addresses of a capture, which need no search; `nil` of a text.
  var captured: [Address]?

  /// When each of them was captured, in milliseconds since 1970 UTC; nothing of what is given out once.
  var times: [Int64] = []

  /// How many more there were in a capture of which each address is given out once.
  var duplicates = 0

  /// Empties it for another slice.
  mutating func clear() { (captured, times, duplicates) = (nil, [], 0) }

  /// Finds the addresses.
  mutating func search() {
    guard captured == nil else { return }
    var matches: [LogMatch] = []
    swap(&matches, &self.matches)
    matches.removeAll(keepingCapacity: true)
    searchLog(bytes.span.extracting(0..<count), from: start, to: cut, into: &matches)
    self.matches = matches
  }

  /// Leaves out the addresses that do not meet a condition.
  mutating func keepMatches(where isKept: (Address) -> Bool) {
    captured?.removeAll { !isKept($0) }
    matches.removeAll { !isKept($0.address) }
  }

  /// The line of each address, the slice's first being 0, and the number of line ends in the slice;
  /// nothing of a capture, which has no lines.
  func lines() -> (ofMatches: [UInt32], ends: Int) {
    guard captured == nil else { return ([], 0) }
    let text = bytes.span.extracting(0..<count)
    var lines: [UInt32] = []
    lines.reserveCapacity(matches.count)
    var counter = LineCounter(text, from: start)
    for match in matches {
      lines.append(UInt32(truncatingIfNeeded: counter.lineEnds(text, before: match.start)))
    }
    return (lines, counter.lineEnds(text, before: cut.offset))
  }

  /// Whether the slice is not empty and ends within a line.
  var endsInLine: Bool {
    guard captured == nil else { return false }
    return cut.offset > start && bytes[cut.offset - 1] != UInt8(ascii: "\n")
  }
}

/// Counts line feeds from a place on, each looked for once.
private struct LineCounter {
  private var count = 0
  /// The place of the first one that is not counted.
  private var next: Int

  init(_ text: Span<UInt8>, from start: Int) { next = text.firstNewline(from: start) ?? .max }

  /// The line feeds before a place, no earlier than the last one asked for.
  mutating func lineEnds(_ text: Span<UInt8>, before place: Int) -> Int {
    while next < place {
      count += 1
      next = text.firstNewline(from: next + 1) ?? .max
    }
    return count
  }
}

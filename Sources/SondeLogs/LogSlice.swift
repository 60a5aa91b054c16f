package import SondeAddresses
import SondeInputs

/// A slice of a text, with as much of its surroundings as the search of it needs.
package struct LogSlice: SearchedSlice {
  /// The number of the input.
  package var input = 0

  /// The text around the slice, and perhaps room behind it.
  package var bytes: [UInt8] = []

  /// The bytes of the text.
  package var count = 0

  /// The byte of the input that the text begins with; `nil` where nobody can say.
  var base: Int?

  /// Where the slice begins in the text.
  package var start = 0

  /// Where the slice ends in the text.
  package var cut = LogCut(offset: 0, isClean: true)

  /// The addresses that begin in the slice, in order; their places are offsets into ``bytes``.
  package private(set) var matches: [LogMatch] = []

  /// The addresses of a capture, which need no search; `nil` of a text.
  package var captured: [Address]?

  /// When each of them was captured, in milliseconds since 1970 UTC; nothing of what is given out once.
  package var times: [Int64] = []

  /// How many more there were in a capture of which each address is given out once.
  var duplicates = 0

  /// Makes an empty one.
  package init() {}

  /// Empties it for another slice.
  mutating func clear() { (base, captured, times, duplicates) = (nil, nil, [], 0) }

  /// Finds the addresses.
  package mutating func search() {
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

  /// Counts lines.
  ///
  /// - Parameter wantsOffsets: Whether to say where they begin.
  /// - Returns: The lines that the addresses stand on; none of a capture, which has no lines.
  package func lines(wantsOffsets: Bool = false) -> SliceLines {
    var lines = SliceLines()
    guard captured == nil else { return lines }
    let text = bytes.span.extracting(0..<count)
    let base = wantsOffsets ? base : nil
    lines.begin = base.map { UInt64($0 + start) }
    lines.numbers.reserveCapacity(matches.count)
    var counter = LineCounter(text, from: start)
    for match in matches {
      counter.advance(text, to: match.start)
      lines.numbers.append(UInt32(truncatingIfNeeded: counter.count))
      if let base { lines.begins.append(counter.begin.map { UInt64(base + $0) }) }
    }
    counter.advance(text, to: cut.offset)
    lines.ends = counter.count
    if let base { lines.lastBegin = counter.begin.map { UInt64(base + $0) } }
    return lines
  }

  /// Whether the slice is not empty and ends within a line.
  package var endsInLine: Bool {
    guard captured == nil else { return false }
    return cut.offset > start && bytes[cut.offset - 1] != UInt8(ascii: "\n")
  }
}

/// The lines that the addresses of a slice stand on.
package struct SliceLines: Sendable {
  /// The line of each address, the slice's first being 0.
  package var numbers: [UInt32] = []
  /// The byte of the input at which each of these lines begins, `nil` where that is before the slice;
  /// empty where nobody wants to know, or can say.
  var begins: [UInt64?] = []
  /// The line ends in the slice.
  package var ends = 0
  /// The byte of the input at which the slice begins.
  var begin: UInt64?
  /// That at which the line begins that the slice ends in; `nil` where that is before the slice.
  var lastBegin: UInt64?

  /// Makes an empty one.
  package init() {}
}

/// Counts line feeds from a place on, each looked for once.
private struct LineCounter {
  /// The line feeds so far.
  private(set) var count = 0
  /// Where the line begins that is reached; `nil` where that is before the first place.
  private(set) var begin: Int?
  /// The place of the first one that is not counted.
  private var next: Int

  init(_ text: Span<UInt8>, from start: Int) { next = text.firstNewline(from: start) ?? .max }

  /// Counts those before a place, no earlier than the last one.
  mutating func advance(_ text: Span<UInt8>, to place: Int) {
    while next < place {
      count += 1
      begin = next + 1
      next = text.firstNewline(from: next + 1) ?? .max
    }
  }
}

package import SondeAddresses
package import SondeInputs

/// A slice of a text with the context needed to search it.
package struct LogSlice: SearchedSlice {
  package var input = 0

  /// The text around the slice, possibly with spare bytes after it.
  package var bytes: [UInt8] = []

  /// The length of the text.
  package var count = 0

  /// The offset of the text in the input; `nil` if unknown.
  var base: Int?

  /// The start of the slice in the text.
  package var start = 0

  /// The end of the slice in the text.
  package var cut = LogCut(offset: 0, isClean: true)

  /// The addresses that begin in the slice, in order, with offsets into ``bytes``.
  package private(set) var matches: [LogMatch] = []

  /// The addresses of a capture, which need no search; `nil` for a text.
  package var captured: CapturedAddresses?

  /// Drops addresses that are not picked; `nil` if all are.
  ///
  /// With one, the slice has whole lines.
  var picker: LinePicker?

  /// Whether defanged marks are the marks that they stand for.
  var refangs = false

  package init() {}

  /// Clears it for another slice.
  mutating func clear() {
    (base, captured, picker) = (nil, nil, nil)
  }

  package mutating func search() {
    guard captured == nil else { return }
    var matches: [LogMatch] = []
    swap(&matches, &self.matches)
    matches.removeAll(keepingCapacity: true)
    let bytes = bytes
    let text = bytes.span.extracting(0..<count)
    searchLog(text, from: start, to: cut, refangs: refangs, into: &matches)
    if var picker {
      picker.pick(&matches, of: text, in: start..<cut.offset)
    }
    self.matches = matches
  }

  mutating func keepMatches(where isKept: (Address) -> Bool) {
    captured?.addresses.removeAll { !isKept($0) }
    matches.removeAll { !isKept($0.address) }
  }

  /// Counts the lines of the addresses, with their starts if `wantsOffsets`; none for a capture.
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

/// The lines of a slice's addresses.
package struct SliceLines: Sendable {
  /// The line of each address; the slice's first is 0.
  package var numbers: [UInt32] = []
  /// The lines' offsets in the input, `nil` if before the slice; empty if unknown or not requested.
  var begins: [UInt64?] = []
  /// The number of line ends in the slice.
  package var ends = 0
  /// The offset of the slice in the input.
  var begin: UInt64?
  /// The offset of the slice's last line; `nil` if before the slice.
  var lastBegin: UInt64?

  package init() {}
}

/// Counts line feeds incrementally.
private struct LineCounter {
  /// The number of line feeds so far.
  private(set) var count = 0
  /// The start of the current line; `nil` if before the first position.
  private(set) var begin: Int?
  /// The position of the first uncounted line feed.
  private var next: Int

  init(_ text: Span<UInt8>, from start: Int) { next = text.firstNewline(from: start) ?? .max }

  /// Counts line feeds up to a position, which must not decrease.
  mutating func advance(_ text: Span<UInt8>, to place: Int) {
    while next < place {
      count += 1
      begin = next + 1
      next = text.firstNewline(from: next + 1) ?? .max
    }
  }
}

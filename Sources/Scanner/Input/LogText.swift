import Addresses

/// Where a piece of a log lies in what has been read.
struct LogExtent: Sendable {
  /// The bytes of the text, from the first that is not consumed.
  var count: Int
  /// Where the piece begins in the text.
  var start: Int
  /// Where it ends.
  var cut: LogCut
  /// The number of the input.
  var input: UInt32
}

/// A piece of a log on its way from the reader to whoever searches it.
struct LogText: Sendable {
  /// What was found in a piece.
  struct Findings: Sendable {
    var found = FoundAddresses()
    /// The line of each address, the first of the piece being 0.
    var lines: [UInt32] = []
    /// The line ends in the piece.
    var lineEnds = 0
    /// The number of the input.
    var input: UInt32
  }

  private let piece: LogPiece
  private let input: UInt32

  /// Makes a piece of the bytes that it lies in.
  init(_ extent: LogExtent, in bytes: [UInt8]) {
    piece = LogPiece(bytes: bytes, count: extent.count, start: extent.start, cut: extent.cut)
    input = extent.input
  }

  /// Finds the addresses and their lines.
  func search() -> Findings {
    var matches: [LogMatch] = []
    piece.search(into: &matches)
    var findings = Findings(found: FoundAddresses(matches, in: piece.bytes), input: input)
    findings.lines.reserveCapacity(matches.count)
    let text = piece.bytes.span
    var counter = LineCounter(text, from: piece.start)
    for match in matches {
      findings.lines.append(UInt32(counter.lineEnds(text, before: match.start)))
    }
    findings.lineEnds = counter.lineEnds(text, before: piece.cut.offset)
    return findings
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

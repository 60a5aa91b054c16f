import SondeInputs

/// A block of lines on its way out, and how far it is.
struct WaitingLines {
  /// The lines; none where ``ready`` has them.
  var block: LineBlock
  /// Lines of which all was known when they were read.
  var ready: ReadLines?
  let readAt: ContinuousClock.Instant
  var size: Int
  /// The occurrences of addresses in them.
  let entries: Int
  /// The first line that has not gone out, of those that something is inserted in.
  var next = 0
  /// The first byte that has not.
  var position = 0
  /// The first insertion that has not.
  var insertion = 0
  /// Behind the insertions that were found to be known.
  var known = 0
  /// How many lines went out as they came, because something was not known in time.
  var late = 0
  /// Whether it ends a line whose rest is not known.
  var isBrokenOff = false

  var endsWithinLine: Bool { ready?.endsWithinLine ?? block.endsWithinLine }

  /// About the occurrences of addresses that have gone out.
  var written: Int { block.bytes.isEmpty ? 0 : entries * position / block.bytes.count }

  var isDone: Bool {
    ready == nil && position == block.bytes.count && next == block.lines.count
  }
}

extension WaitingLines {
  /// Lets lines go out up to the first that has to wait, or until there is enough.
  ///
  /// - Parameters:
  ///   - isLate: Whether lines that are not known go out as they came.
  ///   - onlyMatching: Whether lines without an address are left out.
  ///   - limit: The size of the output at which to stop.
  ///   - output: Where to append.
  mutating func advance(
    isLate: Bool,
    onlyMatching: Bool,
    until limit: Int,
    into output: inout [UInt8]
  ) {
    while next < block.lines.count, output.count < limit {
      let line = block.lines[next]
      // What stands before it unmentioned waits for nothing.
      if position < line.range.lowerBound {
        pass(to: line.range.lowerBound, !onlyMatching, &output)
      }
      if isNextKnown() {
        write(line, !onlyMatching || line.isKept, until: limit, &output)
      } else if isLate {
        late += 1
        next += 1
        pass(to: line.range.upperBound, !onlyMatching || line.isKept, &output)
      } else {
        return
      }
    }
    guard next == block.lines.count, output.count < limit else { return }
    pass(to: block.bytes.count, !onlyMatching || block.passes, &output)
  }

  /// Whether all is known that is inserted in the next line.
  private mutating func isNextKnown() -> Bool {
    if block.subjects.openCount == 0 { return true }
    let insertions = block.insertions(of: next..<next + 1)
    known = max(known, insertions.lowerBound)
    while known < insertions.upperBound, block.isKnown(known) { known += 1 }
    return known == insertions.upperBound
  }

  /// Lets the next line go out with its insertions, as far as there is room.
  private mutating func write(
    _ line: LineBlock.Line,
    _ isWanted: Bool,
    until limit: Int,
    _ output: inout [UInt8]
  ) {
    let insertions = block.insertions(of: next..<next + 1)
    if isWanted {
      insertion = max(insertion, insertions.lowerBound)
      let rest = insertion..<insertions.upperBound
      insertion = block.append(rest, from: &position, until: limit, to: &output)
      guard insertion == insertions.upperBound else { return }
    }
    next += 1
    pass(to: line.range.upperBound, isWanted, &output)
  }

  /// Lets bytes go out as they came, or leaves them out.
  private mutating func pass(to end: Int, _ isWanted: Bool, _ output: inout [UInt8]) {
    if isWanted { output.append(copying: block.bytes.span.extracting(position..<end)) }
    position = end
  }

  /// What is to be counted of the lines that went out.
  var counts: LineCounts {
    guard !isBrokenOff else { return LineCounts(ofBrokenLine: !endsWithinLine) }
    guard !isDone else { return LineCounts(block, late: late) }
    let start = block.hasHeader ? block.lines[0].range.upperBound : 0
    // Of a line that went out in part nothing counts.
    let end =
      next < block.lines.count ? min(position, block.lines[next].range.lowerBound) : position
    let lines = block.bytes.span.extracting(start..<max(start, end)).countLines()
    return LineCounts(block, upTo: next, late: late, lineCount: lines)
  }
}

import SondeInputs

/// A block of lines being written, and its progress.
struct WaitingLines {
  /// The lines; empty if they are in ``ready``.
  var block: LineBlock
  /// Lines that were completely known when they were read.
  var ready: ReadLines?
  let readAt: ContinuousClock.Instant
  var size: Int
  /// The number of addresses in them, with repetitions.
  let entries: Int
  /// The first unwritten line with insertions.
  var next = 0
  /// The first unwritten byte.
  var position = 0
  /// The first unwritten insertion.
  var insertion = 0
  /// The end of the insertions found to be known.
  var known = 0
  /// The number of lines written unchanged because information was late.
  var late = 0
  /// Whether it ends a line whose rest is unknown.
  var isBrokenOff = false

  var endsWithinLine: Bool { ready?.endsWithinLine ?? block.endsWithinLine }

  /// The approximate number of addresses written.
  var written: Int { block.bytes.isEmpty ? 0 : entries * position / block.bytes.count }

  /// Whether its first line is next, and must begin a line of the output.
  var beginsLine: Bool { block.beginsLine && next == 0 && position == 0 && insertion == 0 }

  var isDone: Bool {
    ready == nil && position == block.bytes.count && next == block.lines.count
  }
}

extension WaitingLines {
  /// Writes lines up to the first that must wait, or until the output has a size.
  ///
  /// Unknown lines are written unchanged if `isLate`; the rules drop others.
  mutating func advance(
    isLate: Bool,
    by rules: LineRules,
    until limit: Int,
    into output: inout [UInt8]
  ) {
    while next < block.lines.count, output.count < limit {
      var line = block.lines[next]
      // Lines without insertions before it need not wait.
      if position < line.range.lowerBound {
        pass(to: line.range.lowerBound, !rules.dropsOthers, &output)
      }
      if isNextKnown() {
        block.decide(next, by: rules)
        line = block.lines[next]
        write(line, !rules.dropsOthers || line.selection == .kept, until: limit, &output)
      } else if isLate {
        late += 1
        // A loss is not hidden.
        if line.selection == .awaited { block.lines[next].selection = .kept }
        next += 1
        let isWanted = !rules.dropsOthers || line.selection != .unmatched
        pass(to: line.range.upperBound, isWanted, &output)
      } else {
        return
      }
    }
    guard next == block.lines.count, output.count < limit else { return }
    pass(to: block.bytes.count, !rules.dropsOthers || block.passes, &output)
  }

  /// Whether all insertions of the next line are known.
  private mutating func isNextKnown() -> Bool {
    if block.subjects.openCount == 0 { return true }
    let insertions = block.insertions(of: next..<next + 1)
    known = max(known, insertions.lowerBound)
    while known < insertions.upperBound, block.isKnown(known) { known += 1 }
    return known == insertions.upperBound
  }

  /// Writes the next line with its insertions, as far as they fit.
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

  /// Copies bytes unchanged, or drops them.
  private mutating func pass(to end: Int, _ isWanted: Bool, _ output: inout [UInt8]) {
    if isWanted { output.append(copying: block.bytes.span.extracting(position..<end)) }
    position = end
  }

  /// The counts of written lines.
  func counts(insertsNothing: Bool) -> LineCounts {
    guard !isBrokenOff else { return LineCounts(ofBrokenLine: !endsWithinLine) }
    guard !isDone else { return LineCounts(block, late: late, insertsNothing: insertsNothing) }
    let start = block.hasHeader ? block.lines[0].range.upperBound : 0
    // A partially written line is not counted.
    let end =
      next < block.lines.count ? min(position, block.lines[next].range.lowerBound) : position
    let lines = block.bytes.span.extracting(start..<max(start, end)).countLines()
    return LineCounts(
      block,
      upTo: next,
      late: late,
      lineCount: lines,
      insertsNothing: insertsNothing
    )
  }
}

import Addresses

/// The lines that wait for answers, in their order.
///
/// A value without a clock: it is told what is known and what time it is, and says what goes out.
struct LineWindow {
  /// The bytes that may wait, with what is kept for them.
  private static let room = 64 << 20
  /// What is kept for a block, and for an address that is waited for, besides the lines.
  private static let (blockSize, waitSize) = (1024, 128)
  /// The output after which it goes out before more is made.
  private static let outputSize = 1 << 20

  /// A block of lines on its way out.
  fileprivate struct Waiting {
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

  /// The places where an address is waited for: a chain through the subjects of the blocks, in their
  /// order.
  private struct Chain {
    var first: WaitingPlace
    var last: WaitingPlace
  }

  private let wait: Duration?
  private let onlyMatching: Bool
  private var blocks: [Int: Waiting] = [:]
  private var chains: [Address: Chain] = [:]
  private var size = 0
  /// The occurrences of addresses that were read, and those in the lines that wait.
  private(set) var entriesRead = 0
  private var entriesWaiting = 0
  /// Whether what has gone out ends within a line.
  private(set) var isWithinLine = false

  /// The numbers of the blocks that wait.
  private(set) var numbers = 0..<0

  /// Makes a window without lines.
  ///
  /// - Parameters:
  ///   - wait: The longest that a line waits from its reading on; `nil` is for ever.
  ///   - onlyMatching: Whether lines without an address are left out.
  init(wait: Duration?, onlyMatching: Bool) {
    (self.wait, self.onlyMatching) = (wait, onlyMatching)
  }

  var isEmpty: Bool { numbers.isEmpty }

  /// Whether no more lines are to be read.
  var isFull: Bool { size >= Self.room }

  /// How far the lines are; of a block that went out in part, by its bytes.
  var progress: LineProgress {
    var progress = LineProgress()
    progress.written = entriesRead - entriesWaiting + (blocks[numbers.lowerBound]?.written ?? 0)
    progress.awaited = chains.count
    return progress
  }

  /// When the first line has waited for long enough; `nil` where none will have.
  var deadline: ContinuousClock.Instant? {
    guard let wait, let first = blocks[numbers.lowerBound] else { return nil }
    return first.readAt + wait
  }

  /// Adds the lines that come next.
  ///
  /// - Parameters:
  ///   - lines: The lines.
  ///   - now: When they were read.
  mutating func append(_ lines: ReadLines, readAt now: ContinuousClock.Instant) {
    for block in lines.waiting { append(block, ready: nil, readAt: now) }
    if lines.waiting.isEmpty { append(LineBlock(), ready: lines, readAt: now) }
  }

  private mutating func append(
    _ block: LineBlock,
    ready: ReadLines?,
    readAt now: ContinuousClock.Instant
  ) {
    let number = numbers.upperBound
    let size =
      block.size + block.subjects.openCount * Self.waitSize + (ready?.output.count ?? 0)
      + Self.blockSize
    let entries = ready?.counts.entries ?? block.entryCount
    blocks[number] = Waiting(
      block: block,
      ready: ready,
      readAt: now,
      size: size,
      entries: entries
    )
    self.size += size
    entriesRead += entries
    entriesWaiting += entries
    numbers = numbers.lowerBound..<number + 1
    for (index, subject) in block.subjects.all.enumerated() where subject.insertion == nil {
      guard let address = subject.address else { continue }
      let place = WaitingPlace(block: UInt32(truncatingIfNeeded: number), subject: UInt32(index))
      let last = chains[address]?.last
      chains[address, default: Chain(first: place, last: place)].last = place
      guard let last else { continue }
      blocks[self.number(of: last)]?.block.subjects.link(Int(last.subject), to: place)
    }
  }

  /// The number of the block of a place, which is in the window.
  private func number(of place: WaitingPlace) -> Int {
    let first = UInt32(truncatingIfNeeded: numbers.lowerBound)
    return numbers.lowerBound + Int(place.block &- first)
  }

  /// Some of the addresses that a block still waits for.
  ///
  /// - Parameters:
  ///   - number: The number of the block.
  ///   - limit: The most of them.
  ///   - isWanted: Which of them.
  /// - Returns: The first ones.
  func openAddresses(
    of number: Int,
    limit: Int,
    where isWanted: (Address) -> Bool
  ) -> [Address] {
    var addresses: [Address] = []
    for subject in blocks[number]?.block.subjects.all ?? [] where subject.insertion == nil {
      guard let address = subject.address, isWanted(address) else { continue }
      addresses.append(address)
      if addresses.count == limit { break }
    }
    return addresses
  }

  /// Takes note of what is inserted about an address.
  mutating func settle(_ address: Address, _ outcome: EntryOutcome, _ text: Span<UInt8>) {
    var next = chains.removeValue(forKey: address)?.first
    while let place = next {
      let (block, subject) = (number(of: place), Int(place.subject))
      next = blocks[block]?.block.subjects.all[subject].next
      blocks[block]?.block.subjects.settle(subject, outcome, text)
      blocks[block]?.size += text.count
      size += text.count
    }
  }

  /// Takes out the lines whose turn it is: those that are known or late, up to the first that is
  /// neither; no more than a few megabytes of them.
  ///
  /// - Parameters:
  ///   - now: This moment.
  ///   - output: Where to append them.
  /// - Returns: What is to be counted of the blocks that are done.
  mutating func takeDue(now: ContinuousClock.Instant, into output: inout [UInt8]) -> [LineCounts] {
    var counts: [LineCounts] = []
    while output.count < Self.outputSize, blocks[numbers.lowerBound] != nil {
      let number = numbers.lowerBound
      if let ready = blocks[number]?.ready {
        remove(number)
        counts.append(ready.counts)
        // The usual case costs no copy.
        if output.isEmpty { output = ready.output } else { output += ready.output }
        continue
      }
      let isLate = wait.map { now >= (blocks[number]?.readAt ?? now) + $0 } ?? false
      blocks[number]?.advance(
        isLate: isLate,
        onlyMatching: onlyMatching,
        until: Self.outputSize,
        into: &output
      )
      guard let waiting = blocks[number], waiting.isDone else { break }
      counts.append(waiting.counts)
      remove(number)
    }
    return counts
  }

  /// Has the rest of a line that has gone out in part go out without what is not known.
  ///
  /// - Parameter absent: What stands for that.
  mutating func breakOff(_ absent: Span<UInt8>) {
    for number in numbers {
      blocks[number]?.block.subjects.settleOpen(absent)
      blocks[number]?.isBrokenOff = true
      guard blocks[number]?.endsWithinLine == true else { return }
    }
  }

  /// What is to be counted of a block that went out in part, at an end before its time.
  var unfinishedCounts: LineCounts? {
    blocks[numbers.lowerBound].flatMap { $0.position > 0 ? $0.counts : nil }
  }

  private mutating func remove(_ number: Int) {
    guard let waiting = blocks.removeValue(forKey: number) else { return }
    isWithinLine = waiting.endsWithinLine
    size -= waiting.size
    entriesWaiting -= waiting.entries
    // It is the first block, and so the first in the chains.
    for subject in waiting.block.subjects.all where subject.insertion == nil {
      guard let address = subject.address else { continue }
      if let next = subject.next { chains[address]?.first = next } else { chains[address] = nil }
    }
    numbers = number + 1..<numbers.upperBound
  }
}

extension LineWindow.Waiting {
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

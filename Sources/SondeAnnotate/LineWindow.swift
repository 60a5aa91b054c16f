import SondeRecords
import SondeScanner

/// The lines that wait for answers, in order.
///
/// It is a value that is passed answers and the time, and returns the lines to be written.
struct LineWindow {
  /// The limit of waiting lines in bytes, including overhead.
  private static let room = 64 << 20
  /// The overhead per block, and per address waited for.
  private static let (blockSize, waitSize) = (1024, 128)
  /// The size of output at which it is written before more is created.
  private static let outputSize = 1 << 20

  /// The positions that wait for an address, in order: a linked list through blocks' subjects.
  private struct Chain {
    var first: WaitingPlace
    var last: WaitingPlace
  }

  private let wait: Duration?
  private let rules: LineRules
  private var blocks: [Int: WaitingLines] = [:]
  private var chains: [SubjectKey: Chain] = [:]
  private var size = 0
  /// The numbers of addresses read, and of those in waiting lines, with repetitions.
  private(set) var entriesRead = 0
  private var entriesWaiting = 0
  /// Whether the written text ends within a line that has more parts.
  private(set) var isWithinLine = false
  /// Whether the last byte taken ends no line.
  private var isOpen = false

  /// The numbers of the waiting blocks.
  private(set) var numbers = 0..<0

  /// Creates a window; `wait` limits how long a line waits after it was read, unless it is `nil`.
  init(wait: Duration?, _ rules: LineRules = LineRules()) {
    (self.wait, self.rules) = (wait, rules)
  }

  var isEmpty: Bool { numbers.isEmpty }

  /// Whether to pause reading.
  var isFull: Bool { size >= Self.room }

  /// The progress of lines; that of a partially written block is estimated by its bytes.
  var progress: LineProgress {
    var progress = LineProgress()
    progress.written = entriesRead - entriesWaiting + (blocks[numbers.lowerBound]?.written ?? 0)
    progress.awaited = chains.count
    return progress
  }

  /// When the first line is late; `nil` if never.
  var deadline: ContinuousClock.Instant? {
    guard let wait, let first = blocks[numbers.lowerBound] else { return nil }
    return first.readAt + wait
  }

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
    blocks[number] = WaitingLines(
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
    for (index, key) in block.subjects.open {
      let place = WaitingPlace(block: UInt32(truncatingIfNeeded: number), subject: UInt32(index))
      let last = chains[key]?.last
      chains[key, default: Chain(first: place, last: place)].last = place
      guard let last else { continue }
      blocks[self.number(of: last)]?.block.subjects.link(Int(last.subject), to: place)
    }
  }

  /// The number of the block with a position.
  private func number(of place: WaitingPlace) -> Int {
    let first = UInt32(truncatingIfNeeded: numbers.lowerBound)
    return numbers.lowerBound + Int(place.block &- first)
  }

  /// The first `limit` subjects that a block waits for and `isWanted` accepts.
  func openSubjects(
    of number: Int,
    limit: Int,
    where isWanted: (SubjectKey) -> Bool
  ) -> [SubjectKey] {
    var keys: [SubjectKey] = []
    guard let subjects = blocks[number]?.block.subjects else { return [] }
    for (_, key) in subjects.open where isWanted(key) {
      keys.append(key)
      if keys.count == limit { break }
    }
    return keys
  }

  /// Settles all positions of a subject with an insertion.
  mutating func settle(_ key: SubjectKey, _ outcome: EntryOutcome, _ text: Span<UInt8>) {
    var next = chains.removeValue(forKey: key)?.first
    while let place = next {
      let (block, subject) = (number(of: place), Int(place.subject))
      next = blocks[block]?.block.subjects.next(of: subject)
      blocks[block]?.block.subjects.settle(subject, outcome, text)
      blocks[block]?.size += text.count
      size += text.count
    }
  }

  /// Takes the lines that are due: known or late ones up to the first that is neither, at most a
  /// few megabytes.
  ///
  /// Returns the counts of finished blocks.
  mutating func takeDue(now: ContinuousClock.Instant, into output: inout [UInt8]) -> [LineCounts] {
    var counts: [LineCounts] = []
    defer { if let last = output.last { isOpen = last != 0x0a } }
    while output.count < Self.outputSize, blocks[numbers.lowerBound] != nil {
      let number = numbers.lowerBound
      if let ready = blocks[number]?.ready {
        remove(number)
        counts.append(ready.counts)
        if ready.beginsLine { endOpenLine(&output) }
        // Avoids a copy in the usual case.
        if output.isEmpty { output = ready.output } else { output += ready.output }
        continue
      }
      if let waiting = blocks[number], waiting.beginsLine { endOpenLine(&output) }
      let isLate = wait.map { now >= (blocks[number]?.readAt ?? now) + $0 } ?? false
      blocks[number]?.advance(
        isLate: isLate,
        by: rules,
        until: Self.outputSize,
        into: &output
      )
      guard let waiting = blocks[number], waiting.isDone else { break }
      counts.append(waiting.counts(insertsNothing: rules.insertsNothing))
      remove(number)
    }
    return counts
  }

  /// Ends the line of an earlier input, if it is open.
  private func endOpenLine(_ output: inout [UInt8]) {
    if output.last.map({ $0 != 0x0a }) ?? isOpen { output.append(0x0a) }
  }

  /// Releases the rest of a partially written line, with `absent` for unknown insertions.
  mutating func breakOff(_ absent: Span<UInt8>) {
    for number in numbers {
      blocks[number]?.block.subjects.settleOpen(absent)
      blocks[number]?.isBrokenOff = true
      guard blocks[number]?.endsWithinLine == true else { return }
    }
  }

  /// The counts of a partially written block, for an early end.
  var unfinishedCounts: LineCounts? {
    blocks[numbers.lowerBound].flatMap {
      $0.next > 0 || $0.position > 0 ? $0.counts(insertsNothing: rules.insertsNothing) : nil
    }
  }

  private mutating func remove(_ number: Int) {
    guard let waiting = blocks.removeValue(forKey: number) else { return }
    isWithinLine = waiting.endsWithinLine
    size -= waiting.size
    entriesWaiting -= waiting.entries
    // It is the first block, and so the first in the lists.
    let subjects = waiting.block.subjects
    for (number, key) in subjects.open {
      let next = subjects.next(of: number)
      if let next { chains[key]?.first = next } else { chains[key] = nil }
    }
    numbers = number + 1..<numbers.upperBound
  }
}

import SondeAddresses
import SondeScanner

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

  /// The places where an address is waited for: a chain through the subjects of the blocks, in their
  /// order.
  private struct Chain {
    var first: WaitingPlace
    var last: WaitingPlace
  }

  private let wait: Duration?
  private let onlyMatching: Bool
  private var blocks: [Int: WaitingLines] = [:]
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
    for (index, address) in block.subjects.open {
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
    guard let subjects = blocks[number]?.block.subjects else { return [] }
    for (_, address) in subjects.open where isWanted(address) {
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
      next = blocks[block]?.block.subjects.next(of: subject)
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
    let subjects = waiting.block.subjects
    for (number, address) in subjects.open {
      let next = subjects.next(of: number)
      if let next { chains[address]?.first = next } else { chains[address] = nil }
    }
    numbers = number + 1..<numbers.upperBound
  }
}

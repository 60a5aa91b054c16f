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
    /// The first line that has not gone out, of those that something is inserted in.
    var next = 0
    /// The first byte that has not.
    var position = 0
    /// The lines that went out with their insertions, where some others were late.
    var annotated: [Range<Int>] = []
    var late = 0

    var isDone: Bool {
      ready == nil && position == block.bytes.count && next == block.lines.count
    }
  }

  /// A place where an address is waited for.
  private struct Place {
    let block: Int
    let subject: Int
  }

  private let wait: Duration?
  private let onlyMatching: Bool
  private var blocks: [Int: Waiting] = [:]
  private var places: [Address: [Place]] = [:]
  private var size = 0

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
    let number = numbers.upperBound
    let block = lines.waiting ?? LineBlock()
    let ready = lines.waiting == nil ? lines : nil
    for (index, subject) in block.subjects.all.enumerated() where subject.insertion == nil {
      guard let address = subject.address else { continue }
      places[address, default: []].append(Place(block: number, subject: index))
    }
    let size =
      block.size + block.subjects.openCount * Self.waitSize + lines.output.count + Self.blockSize
    blocks[number] = Waiting(block: block, ready: ready, readAt: now, size: size)
    self.size += size
    numbers = numbers.lowerBound..<number + 1
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
    for place in places.removeValue(forKey: address) ?? [] {
      blocks[place.block]?.block.subjects.settle(place.subject, outcome, text)
      blocks[place.block]?.size += text.count
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
      blocks[number]?.advance(isLate: isLate, onlyMatching: onlyMatching, into: &output)
      guard let waiting = blocks[number], waiting.isDone else { break }
      counts.append(waiting.counts)
      remove(number)
    }
    return counts
  }

  /// What is to be counted of a block that went out in part, at an end before its time.
  var unfinishedCounts: LineCounts? {
    blocks[numbers.lowerBound].flatMap { $0.position > 0 ? $0.counts : nil }
  }

  private mutating func remove(_ number: Int) {
    guard let waiting = blocks.removeValue(forKey: number) else { return }
    numbers = number + 1..<numbers.upperBound
    size -= waiting.size
    for subject in waiting.block.subjects.all where subject.insertion == nil {
      guard let address = subject.address, var rest = places[address] else { continue }
      rest.removeAll { $0.block == number }
      places[address] = rest.isEmpty ? nil : rest
    }
  }
}

extension LineWindow.Waiting {
  /// Lets lines go out up to the first that has to wait.
  mutating func advance(isLate: Bool, onlyMatching: Bool, into output: inout [UInt8]) {
    while next < block.lines.count {
      let known = knownLines()
      if !known.isEmpty {
        write(known, onlyMatching, into: &output)
        annotated.append(known)
      } else if isLate {
        late += 1
        pass(next, onlyMatching, into: &output)
      } else {
        break
      }
    }
    guard next == block.lines.count else { return }
    block.append(
      next..<next,
      in: position..<block.bytes.count,
      onlyMatching: onlyMatching,
      to: &output
    )
    position = block.bytes.count
  }

  /// The lines from the next one on of which all is known.
  private func knownLines() -> Range<Int> {
    var end = next
    while end < block.lines.count, block.isKnown(end) { end += 1 }
    return next..<end
  }

  private mutating func write(
    _ known: Range<Int>,
    _ onlyMatching: Bool,
    into output: inout [UInt8]
  ) {
    // What follows them unmentioned is known as well.
    let end =
      known.upperBound < block.lines.count
      ? Int(block.lines[known.upperBound].start) : block.bytes.count
    block.append(known, in: position..<end, onlyMatching: onlyMatching, to: &output)
    (next, position) = (known.upperBound, end)
  }

  /// Lets a line go out as it came.
  private mutating func pass(_ line: Int, _ onlyMatching: Bool, into output: inout [UInt8]) {
    let range = block.lines[line].range
    if !onlyMatching {
      output.append(copying: block.bytes.span.extracting(position..<range.upperBound))
    } else if block.lines[line].isKept {
      output.append(copying: block.bytes.span.extracting(range))
    }
    (next, position) = (line + 1, range.upperBound)
  }

  /// What is to be counted of the lines that went out.
  var counts: LineCounts {
    if late == 0, isDone { return LineCounts(block) }
    guard !isDone else { return LineCounts(block, annotated: annotated, late: late) }
    let start = block.hasHeader ? block.lines[0].range.upperBound : 0
    let lines = block.bytes.span.extracting(start..<max(start, position)).countLines()
    return LineCounts(block, annotated: annotated, late: late, lineCount: lines)
  }
}

import SondeAddresses
import SondeOutputs
import SondeRecords

/// The counts of a block's lines: created on any thread, added in order.
struct LineCounts: Sendable {
  var lines = LineTally()
  /// The number of addresses and invalid items, with repetitions, except ``unanswered``.
  var entries = 0
  /// The distinct addresses, with their outcomes.
  var addresses: [Address] = []
  var outcomes: [EntryOutcome] = []
  /// Addresses with a zone, or with several answers, and what tells them apart, with repetitions.
  var zoned: [(address: Address, zone: [UInt8], outcome: EntryOutcome)] = []
  var invalid = 0
  /// The entries in lines that the filter has excluded.
  var excluded = 0
  /// Addresses that had no answer when their late lines were written, with their occurrences.
  var unanswered: [(address: Address, occurrences: Int)] = []

  init() {}

  /// Counts a section of a line that is broken off, as late if it ends the line.
  init(ofBrokenLine isEnd: Bool) {
    if isEnd { (lines.lines, lines.late) = (1, 1) }
  }

  /// Counts the lines of a block with insertions before `end`; `nil` for all.
  ///
  /// Of these, `late` ones were written unchanged because information was late. `lineCount` is the
  /// total number of lines, if different from the block's. With `insertsNothing`, none is annotated.
  init(
    _ block: LineBlock,
    upTo end: Int? = nil,
    late: Int = 0,
    lineCount: Int? = nil,
    insertsNothing: Bool = false
  ) {
    let gone = 0..<(end ?? block.lines.count)
    (lines.lines, lines.late) = (lineCount ?? block.lineCount, late)
    if lineCount == nil {
      (lines.ragged, lines.long) = (block.raggedCount, block.longCount)
      (lines.excluded, excluded) = block.excluded
    }
    lines.annotated = gone.count - late - (block.hasHeader && !gone.isEmpty ? 1 : 0)
    if block.endsWithinLine, gone.count == block.lines.count { lines.annotated -= 1 }
    var occurrences = [UInt32](repeating: 0, count: block.subjects.all.count)
    if gone.contains(where: { block.lines[$0].selection == .excluded }) {
      for line in gone {
        let insertions = block.insertions(of: line..<line + 1)
        if block.lines[line].selection == .excluded {
          lines.excluded += 1
          lines.annotated -= 1
          excluded += block.countEntries(in: insertions)
        } else {
          count(insertions, of: block, in: &occurrences)
        }
      }
    } else {
      count(block.insertions(of: gone), of: block, in: &occurrences)
    }
    if insertsNothing { lines.annotated = 0 }
    addresses.reserveCapacity(block.subjects.all.count)
    outcomes.reserveCapacity(block.subjects.all.count)
    for (number, count) in occurrences.enumerated() where count > 0 {
      if block.subjects.insertion(of: number) != nil, !block.subjects.isSkipped(number) {
        entries += Int(count)
        add(number, of: block)
      } else if let address = block.subjects.all[number].address {
        unanswered.append((address, Int(count)))
      }
    }
  }

  private func count(
    _ insertions: Range<Int>,
    of block: LineBlock,
    in occurrences: inout [UInt32]
  ) {
    for index in insertions {
      let subject = block.insertions[index].subject
      if subject != SubjectList.nothing { occurrences[Int(subject)] &+= 1 }
    }
  }

  private mutating func add(_ number: Int, of block: LineBlock) {
    let (subject, outcome) = (block.subjects.all[number], block.subjects.outcome(of: number))
    guard let address = subject.address else {
      invalid += 1
      return
    }
    // As in a summary, each answer about an address counts.
    let period = subject.period.bytes
    guard !subject.text.isEmpty || !period.isEmpty else {
      addresses.append(address)
      outcomes.append(outcome)
      return
    }
    zoned.append((address, block.words[subject.text.range] + period, outcome))
  }
}

/// The counts of an annotation: what was written, in the order of lines.
struct LineBooks: Sendable {
  private var seen = DistinctSet()

  /// Addresses by outcome, each address once.
  private(set) var tally = Tally()
  private(set) var lines = LineTally()
  /// Addresses of late lines without an answer so far.
  private var unanswered: Set<Address> = [] {
    didSet { lines.unanswered = unanswered.count }
  }

  mutating func count(_ counts: LineCounts) {
    lines += counts.lines
    tally.entries += counts.entries + counts.excluded
    tally.excluded += counts.excluded
    for start in stride(from: 0, to: counts.addresses.count, by: DistinctSet.blockSize) {
      let range = start..<min(start + DistinctSet.blockSize, counts.addresses.count)
      var new = seen.insert(counts.addresses.span.extracting(range))
      if !unanswered.isEmpty {
        // Seen before, in lines that went out without the answer.
        for index in range { settle(counts.addresses[index], counts.outcomes[index]) }
      }
      while new != 0 {
        tally.count(counts.outcomes[start + new.trailingZeroBitCount].record)
        new &= new - 1
      }
    }
    for (address, zone, outcome) in counts.zoned where seen.insert(address, zone: zone.span) {
      tally.count(outcome.record)
    }
    for _ in 0..<counts.invalid { tally.count(EntryOutcome(status: .invalid).record) }
    for (address, occurrences) in counts.unanswered {
      tally.entries += occurrences
      if seen.insert(address) { unanswered.insert(address) }
    }
    countDuplicates()
  }

  /// Counts the late answer about an address of late lines.
  mutating func settle(_ address: Address, _ outcome: EntryOutcome) {
    guard !unanswered.isEmpty, unanswered.remove(address) != nil else { return }
    tally.count(outcome.record)
    countDuplicates()
  }

  private mutating func countDuplicates() {
    tally.duplicates = tally.entries - tally.settled - unanswered.count
  }
}

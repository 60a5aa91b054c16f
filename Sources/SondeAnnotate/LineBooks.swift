import SondeAddresses
import SondeOutputs
import SondeRecords

/// What is to be counted of the lines of a block: gathered by any thread, counted in their order.
struct LineCounts: Sendable {
  var lines = LineTally()
  /// Occurrences of addresses, and of items that are none, but those of ``unanswered``.
  var entries = 0
  /// The addresses that stand in them, each once, and how each of them ended.
  var addresses: [Address] = []
  var outcomes: [EntryOutcome] = []
  /// Addresses with a zone, every occurrence.
  var zoned: [(address: Address, zone: [UInt8], outcome: EntryOutcome)] = []
  var invalid = 0
  /// Addresses of late lines of which nothing was known when they went out, and how often they stand in them.
  var unanswered: [(address: Address, occurrences: Int)] = []

  /// Makes the counts of nothing.
  init() {}

  /// Counts a stretch of a line that is broken off, as late if it ends the line.
  init(ofBrokenLine isEnd: Bool) {
    if isEnd { (lines.lines, lines.late) = (1, 1) }
  }

  /// Counts some lines of a block.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - end: Behind the last of the mentioned lines that have gone out; `nil` where all have.
  ///   - late: How many of these went out as they came, because something was not known in time.
  ///   - lineCount: How many lines there are in all, if not as many as the block has.
  init(_ block: LineBlock, upTo end: Int? = nil, late: Int = 0, lineCount: Int? = nil) {
    let gone = 0..<(end ?? block.lines.count)
    (lines.lines, lines.late) = (lineCount ?? block.lineCount, late)
    if lineCount == nil { (lines.ragged, lines.long) = (block.raggedCount, block.longCount) }
    lines.annotated = gone.count - late - (block.hasHeader && !gone.isEmpty ? 1 : 0)
    if block.endsWithinLine, gone.count == block.lines.count { lines.annotated -= 1 }
    var occurrences = [UInt32](repeating: 0, count: block.subjects.all.count)
    for index in block.insertions(of: gone) {
      let subject = block.insertions[index].subject
      if subject != SubjectList.nothing { occurrences[Int(subject)] &+= 1 }
    }
    addresses.reserveCapacity(block.subjects.all.count)
    outcomes.reserveCapacity(block.subjects.all.count)
    for (number, count) in occurrences.enumerated() where count > 0 {
      if block.subjects.insertion(of: number) != nil {
        entries += Int(count)
        add(number, of: block)
      } else if let address = block.subjects.all[number].address {
        unanswered.append((address, Int(count)))
      }
    }
  }

  private mutating func add(_ number: Int, of block: LineBlock) {
    let (subject, outcome) = (block.subjects.all[number], block.subjects.outcome(of: number))
    guard let address = subject.address else {
      invalid += 1
      return
    }
    guard !subject.text.isEmpty else {
      addresses.append(address)
      outcomes.append(outcome)
      return
    }
    zoned.append((address, Array(block.words[subject.text.range]), outcome))
  }
}

/// The books of a run that annotates: what was written, in the order of the lines.
struct LineBooks: Sendable {
  /// The addresses that have been counted.
  private var seen = DistinctSet()

  /// Occurrences of addresses, by how they ended, each address once.
  private(set) var tally = Tally()
  private(set) var lines = LineTally()
  /// Addresses of late lines that nobody has answered yet.
  private var unanswered: Set<Address> = [] {
    didSet { lines.unanswered = unanswered.count }
  }

  /// Counts the lines that come next.
  ///
  /// - Parameter counts: What is to be counted of them.
  mutating func count(_ counts: LineCounts) {
    lines += counts.lines
    tally.entries += counts.entries
    for start in stride(from: 0, to: counts.addresses.count, by: DistinctSet.blockSize) {
      let range = start..<min(start + DistinctSet.blockSize, counts.addresses.count)
      var new = seen.insert(counts.addresses.span.extracting(range))
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

  /// Counts an address of late lines whose answer has come after all.
  mutating func settle(_ address: Address, _ outcome: EntryOutcome) {
    guard !unanswered.isEmpty, unanswered.remove(address) != nil else { return }
    tally.count(outcome.record)
    countDuplicates()
  }

  private mutating func countDuplicates() {
    tally.duplicates = tally.entries - tally.records - unanswered.count
  }
}

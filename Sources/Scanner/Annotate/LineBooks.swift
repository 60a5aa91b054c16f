import Addresses
import Records

/// What became of lines.
public struct LineTally: Sendable, Equatable {
  /// Lines read and written, or left out.
  public var lines = 0
  /// Lines that something was inserted in.
  public var annotated = 0
  /// Lines that were not waited for any longer, and went out as they came.
  public var late = 0

  /// Lines that nothing was to be inserted in.
  public var unchanged: Int { lines - annotated - late }

  static func += (left: inout LineTally, right: LineTally) {
    left.lines += right.lines
    left.annotated += right.annotated
    left.late += right.late
  }
}

/// What is to be counted of the lines of a block: gathered by any thread, counted in their order.
struct LineCounts: Sendable {
  var lines = LineTally()
  /// Occurrences of addresses, and of items that are none.
  var entries = 0
  /// The addresses that stand in them, each once, and how each of them ended.
  var addresses: [Address] = []
  var outcomes: [EntryOutcome] = []
  /// Addresses with a zone, every occurrence.
  var zoned: [(address: Address, zone: [UInt8], outcome: EntryOutcome)] = []
  var invalid = 0

  /// Makes the counts of nothing.
  init() {}

  /// Counts some lines of a block.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - annotated: The lines that went out with their insertions; all that it mentions where it is
  ///     `nil`.
  ///   - late: How many went out as they came, because something was not known in time.
  ///   - lineCount: How many lines there are in all, if not as many as the block has.
  init(_ block: LineBlock, annotated: [Range<Int>]? = nil, late: Int = 0, lineCount: Int? = nil) {
    let ranges = annotated ?? [block.lines.indices]
    lines.annotated = ranges.reduce(0) { $0 + $1.count }
    if block.hasHeader, ranges.contains(where: { $0.contains(0) }) { lines.annotated -= 1 }
    (lines.lines, lines.late) = (lineCount ?? block.lineCount, late)
    var isCounted = [Bool](repeating: annotated == nil, count: block.subjects.all.count)
    for range in ranges {
      for index in block.insertions(of: range) {
        let subject = block.insertions[index].subject
        guard subject != SubjectList.nothing else { continue }
        entries += 1
        isCounted[Int(subject)] = true
      }
    }
    addresses.reserveCapacity(block.subjects.all.count)
    outcomes.reserveCapacity(block.subjects.all.count)
    for (subject, isCounted) in zip(block.subjects.all, isCounted) where isCounted {
      add(subject, of: block)
    }
  }

  private mutating func add(_ subject: SubjectList.Subject, of block: LineBlock) {
    guard let address = subject.address else {
      invalid += 1
      return
    }
    guard !subject.text.isEmpty else {
      addresses.append(address)
      outcomes.append(subject.outcome)
      return
    }
    let zone = block.bytes[Int(subject.text.lowerBound)..<Int(subject.text.upperBound)]
    zoned.append((address, Array(zone), subject.outcome))
  }
}

/// The books of a run that annotates: what was written, in the order of the lines.
struct LineBooks: Sendable {
  /// The addresses that have been counted.
  private var seen = DistinctSet()

  /// Occurrences of addresses, by how they ended, each address once.
  private(set) var tally = Tally()
  private(set) var lines = LineTally()

  /// Counts the lines that come next.
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
    tally.duplicates = tally.entries - tally.records
  }
}

package import SondeAddresses
package import SondeInputs
import SondeRecords

/// The results of a log's slice.
package struct LogFindings: Sendable {
  let found: FoundAddresses
  /// Their lines, if requested.
  let lines: SliceLines
  /// The number of duplicates in a capture, which are not among the addresses.
  let duplicates: Int
  let input: UInt32

  init(_ slice: LogSlice, wantsOffsets: Bool) {
    found = FoundAddresses(slice)
    lines = slice.lines(wantsOffsets: wantsOffsets)
    duplicates = slice.duplicates
    input = UInt32(truncatingIfNeeded: slice.input)
  }

  package init(_ found: FoundAddresses, input: UInt32) {
    (self.found, self.input) = (found, input)
    (lines, duplicates) = (SliceLines(), 0)
  }
}

/// The numbered entries in a log's results, from which records are created later.
package struct LogRun: Sendable {
  private let findings: LogFindings
  /// The number of line ends before the slice.
  private let line: UInt64
  /// The start of the line that contains the slice's start; `nil` if not requested.
  private let begin: UInt64?
  /// For each block of addresses a bit for each entry.
  private let masks: [UInt64]
  private var blocks: Range<Int>
  private var first: UInt64

  package init(
    _ findings: LogFindings,
    line: UInt64 = 0,
    begin: UInt64? = nil,
    masks: [UInt64],
    first: UInt64
  ) {
    (self.findings, self.line, self.begin) = (findings, line, begin)
    (self.masks, self.first) = (masks, first)
    blocks = masks.indices
  }

  /// Creates a run with an entry for each of some addresses, numbered from 0.
  package init(asking addresses: [(address: Address, zone: [UInt8]?)]) {
    var found = FoundAddresses()
    for (address, zone) in addresses { found.append(address, zone: zone) }
    let masks = (0..<found.blockCount).map { block in
      UInt64.max >> UInt64(DistinctSet.blockSize - found.block(block).count)
    }
    self.init(LogFindings(found, input: 0), masks: masks, first: 0)
  }

  package var isEmpty: Bool { blocks.isEmpty }

  /// The number of entries, including duplicates.
  package var count: Int {
    let duplicates = blocks.first == 0 ? findings.duplicates : 0
    return blocks.reduce(duplicates) { $0 + findings.found.block($1).count }
  }

  /// Removes and returns the first entries, as many as there may be among `limit` addresses.
  package mutating func removeFirst(_ limit: Int) -> LogRun {
    var run = self
    let count = max(1, limit / DistinctSet.blockSize)
    run.blocks = blocks.prefix(count)
    blocks = blocks.dropFirst(count)
    first += run.blocks.reduce(0) { $0 + UInt64(masks[$1].nonzeroBitCount) }
    return run
  }

  /// Creates the records, in any task.
  package func entries() -> EntryBlock {
    var entries = EntryBlock()
    entries.first = first
    let found = findings.found
    let count = blocks.reduce(0) { $0 + masks[$1].nonzeroBitCount }
    entries.block.records.reserveCapacity(count)
    for block in blocks {
      for index in found.indices(of: block, masks[block]) {
        let place = place(of: index)
        if let zone = found.zones[index] {
          entries.append(found.addresses[index], zone: zone.span, at: place)
        } else {
          entries.append(found.addresses[index], at: place)
        }
      }
      entries.duplicates += found.block(block).count
    }
    entries.duplicates -= count
    // Counted once, with the first entries.
    if blocks.lowerBound == 0 { entries.duplicates += findings.duplicates }
    return entries
  }

  private func place(of index: Int) -> Place {
    let lines = findings.lines
    var place = Place(input: findings.input)
    if !lines.numbers.isEmpty { place.line = line + UInt64(lines.numbers[index]) + 1 }
    if !lines.begins.isEmpty { place.offset = lines.begins[index] ?? begin }
    return place
  }
}

/// Decides which of the addresses in logs are entries, so that each is counted once.
struct LogEntries: Sendable {
  private let keepsDuplicates: Bool
  private var seen = DistinctSet()
  private var input: UInt32?
  /// The number of line ends in the input so far.
  private var line: UInt64 = 0
  /// The start of the line in which the last slice ended.
  private var begin: UInt64?
  private var count: UInt64 = 0

  init(rules: EntryRules) { keepsDuplicates = rules.keepsDuplicates }

  /// Selects the entries in the results of the next slice.
  mutating func pick(_ findings: LogFindings) -> LogRun {
    let lines = findings.lines
    if input != findings.input { (input, line, begin) = (findings.input, 0, lines.begin) }
    var masks: [UInt64] = []
    masks.reserveCapacity(findings.found.blockCount)
    for block in 0..<findings.found.blockCount {
      let range = findings.found.block(block)
      let new = keepsDuplicates ? .max : seen.insert(findings.found, range)
      masks.append(new & .max >> UInt64(DistinctSet.blockSize - range.count))
    }
    let run = LogRun(findings, line: line, begin: begin, masks: masks, first: count)
    line += UInt64(lines.ends)
    begin = lines.lastBegin ?? begin
    count += masks.reduce(0) { $0 + UInt64($1.nonzeroBitCount) }
    return run
  }

  /// Removes known literals of the command line.
  mutating func pick(_ literals: EntryBlock) -> EntryBlock {
    var block = literals
    let all = literals.block
    if !keepsDuplicates { block.block.records = all.records.filter { isNew($0, of: all) } }
    block.duplicates += all.records.count - block.block.records.count
    block.first = count
    count += UInt64(block.block.records.count)
    return block
  }

  private mutating func isNew(_ record: Record, of block: RecordBlock) -> Bool {
    guard let address = record.address else { return true }
    guard let zone = block.text(.item, of: record) else { return seen.insert(address) }
    return seen.insert(address, zone: Array(zone.utf8).span)
  }
}

import Addresses
import Records

/// Makes entries of what is found in logs, each address once.
struct LogEntries: Sendable {
  private let keepsDuplicates: Bool
  private var seen = SeenEntries()
  private var input: UInt32?
  /// The line ends of the input so far.
  private var line: UInt64 = 0
  private var count: UInt64 = 0

  /// Makes entries of nothing.
  init(rules: EntryRules) { keepsDuplicates = rules.keepsDuplicates }

  /// Completes a block: with what was found in its text, or by leaving out literals that are known.
  mutating func complete(_ block: EntryBlock, with findings: LogText.Findings?) -> EntryBlock {
    var block = block
    if let findings, let text = block.text {
      if input != text.input { (input, line) = (text.input, 0) }
      block.text = nil
      add(findings, to: &block, input: text.input)
      line += UInt64(findings.lineEnds)
    } else if !keepsDuplicates {
      removeKnown(from: &block)
    }
    block.first = count
    count += UInt64(block.block.records.count)
    return block
  }

  private mutating func add(
    _ findings: LogText.Findings,
    to block: inout EntryBlock,
    input: UInt32
  ) {
    let found = findings.found
    if keepsDuplicates { block.block.records.reserveCapacity(found.addresses.count) }
    for part in found.blocks {
      var new = keepsDuplicates ? .max : seen.insert(found, part)
      new &= .max >> UInt64(DistinctSet.blockSize - part.count)
      block.duplicates += part.count - new.nonzeroBitCount
      while new != 0 {
        let index = part.lowerBound + new.trailingZeroBitCount
        new &= new - 1
        let line = line + UInt64(findings.lines[index]) + 1
        if let zone = found.zones[index] {
          block.append(found.addresses[index], zone: zone.span, line: line, input: input)
        } else {
          block.append(found.addresses[index], line: line, input: input)
        }
      }
    }
  }

  private mutating func removeKnown(from block: inout EntryBlock) {
    let all = block.block
    block.block.records = all.records.filter { isNew($0, of: all) }
    block.duplicates += all.records.count - block.block.records.count
  }

  private mutating func isNew(_ record: Record, of block: RecordBlock) -> Bool {
    guard let address = record.address else { return true }
    guard let zone = block.text(.item, of: record) else { return seen.insert(address) }
    return seen.insert(address, zone: Array(zone.utf8).span)
  }
}

/// The entries of logs that several tasks search at once, in the order of the text.
actor LogOrder {
  private var entries: LogEntries
  private var next = 0
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

  init(rules: EntryRules) { entries = LogEntries(rules: rules) }

  /// Completes a block when it is its turn, which comes when all earlier ones have been here.
  func complete(_ block: EntryBlock, with findings: LogText.Findings?) async -> EntryBlock {
    if block.number != next {
      await withCheckedContinuation { waiting[block.number] = $0 }
    }
    defer {
      next += 1
      waiting.removeValue(forKey: next)?.resume()
    }
    return entries.complete(block, with: findings)
  }
}

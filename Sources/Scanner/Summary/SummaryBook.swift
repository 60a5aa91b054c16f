import Addresses
import Providers
import Records
import Summary
import Synchronization

/// What a summary under way has counted, from several threads.
final class SummaryBook: Sendable {
  private let addresses = Mutex(AddressCounts())
  private let profiles = Mutex(Profiles())
  private let timeline: Mutex<Timeline>
  /// Whether records, which have no time, are to be counted.
  private let takesRecords: Bool
  /// What records must be like; `nil` for all.
  let filter: Filter?
  private let left = Mutex(LeftOut())

  /// Makes a book in which nothing is counted.
  init(_ rules: SummaryRules) {
    timeline = Mutex(Timeline(zone: rules.zone))
    (takesRecords, filter) = (rules.admits(nil), rules.filter)
  }

  /// What was not counted, for its time or for want of one.
  var leftOut: LeftOut { left.withLock { $0 } }

  /// Everything counted so far.
  var counts: SummaryCounts {
    SummaryCounts(
      addresses: addresses.withLock { $0 },
      profiles: profiles.withLock { $0 },
      timeline: timeline.withLock { $0 }
    )
  }

  /// Counts what a slice of a log has.
  ///
  /// - Returns: For each block of addresses a bit for each about which a question has come up, and
  ///   the number of the first of these questions.
  func count(_ slice: CountedSlice) -> (masks: [UInt64], first: UInt64) {
    timeline.withLock { $0.add(slice.timeline) }
    left.withLock { $0 += slice.leftOut }
    return addresses.withLock { addresses in
      let first = addresses.questions
      let found = slice.found
      let masks = (0..<found.blockCount).map { addresses.count(found, found.block($0)) }
      return (masks, UInt64(first))
    }
  }

  /// Counts a record, unless only what has a time is wanted, or others are.
  ///
  /// - Parameters:
  ///   - record: What it says.
  ///   - block: What its texts lie in.
  ///   - status: How its entry ended; `nil` where it does not tell.
  ///   - source: Who answered, as it tells.
  func count(
    _ record: Record,
    of block: RecordBlock,
    status: Status?,
    source: String
  ) {
    guard takesRecords else {
      left.withLock { $0.records += 1 }
      return
    }
    if let filter, filter.excludes(record, bytes: block.bytes.span) {
      left.withLock { $0.excluded += 1 }
      return
    }
    let profile = profiles.withLock {
      $0.id(of: record, bytes: block.bytes.span, status: status, source: source)
    }
    let zone = record.address == nil ? nil : block.text(.item, of: record)
    addresses.withLock {
      $0.count(record.address, zone: zone.map { Array($0.utf8) } ?? [], as: profile)
    }
  }

  /// Takes the answer to a question, the records of special-purpose addresses being their own.
  func settle(_ question: UInt64, _ record: Record, bytes: Span<UInt8>) {
    profiles.withLock {
      $0.settle(question, record, bytes: bytes, source: record.source?.name ?? "")
    }
  }
}

extension AddressCounts {
  /// Counts a block of occurrences in a log, with a bit for each about which a question has come up.
  fileprivate mutating func count(_ found: FoundAddresses, _ block: Range<Int>) -> UInt64 {
    guard !found.zones.isEmpty else { return count(found.addresses.span.extracting(block)) }
    var new: UInt64 = 0
    for index in block {
      let isNew: Bool
      if let zone = found.zones[index] {
        isNew = count(found.addresses[index], zone: zone)
      } else {
        isNew = count(found.addresses.span.extracting(index..<index + 1)) != 0
      }
      if isNew { new |= 1 << UInt64(index - block.lowerBound) }
    }
    return new
  }
}

import SondeAddresses
import SondeInputs
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeScanner
import SondeSummary
import Synchronization

/// What a summary under way has counted, from several threads.
final class SummaryBook: RecordBook, RecordConsumer {
  private let hits: Mutex<SummaryHits>
  private let profiles = Mutex(Profiles())
  private let rules: SummaryRules

  /// What records must be like; `nil` for all.
  var filter: Filter? { rules.filter }

  /// Makes a book in which nothing is counted.
  init(_ rules: SummaryRules) {
    self.rules = rules
    hits = Mutex(SummaryHits(rules))
  }

  /// What was not counted, for its time or for want of one, or by a condition.
  var leftOut: LeftOut { hits.withLock(\.leftOut) }

  /// Everything counted so far.
  var counts: SummaryCounts { settled.counts }

  /// Everything counted so far, and the books of the addresses of logs that are not left out; `nil` where
  /// those of the scan tell of them.
  var settled: (counts: SummaryCounts, tally: Tally?) {
    let hits = hits.withLock(\.settled)
    let counts = SummaryCounts(
      addresses: hits.addresses,
      profiles: profiles.withLock { $0 },
      timeline: hits.timeline
    )
    return (counts, hits.tally)
  }

  /// Counts what a slice of a log has.
  ///
  /// - Parameters:
  ///   - slice: The slice.
  ///   - lines: The line ends before it in its input, where they matter.
  ///   - input: The number of the input.
  /// - Returns: The addresses that are not left out already.
  func count(
    _ slice: CountedSlice,
    behind lines: UInt64,
    ofInput input: UInt32
  ) -> ChosenAddresses {
    hits.withLock { $0.count(slice, behind: lines, ofInput: input) }
  }

  /// Counts what was kept of a capture until its traffic is known, which it is now.
  ///
  /// - Returns: The addresses that are not left out already.
  func countHeld() -> ChosenAddresses { hits.withLock { $0.countHeld() } }

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
    var left = LeftOut()
    // They have no time.
    if !rules.admits(nil) {
      left.records = 1
    } else if let filter, filter.excludes(record, bytes: block.bytes.span) {
      left.excluded = 1
    }
    guard left.records + left.excluded == 0 else { return hits.withLock { $0.leave(left) } }
    let profile = profiles.withLock {
      $0.id(of: record, bytes: block.bytes.span, status: status, source: source)
    }
    let zone = record.address == nil ? nil : block.text(.item, of: record)
    hits.withLock {
      $0.count(record.address, zone: zone.map { Array($0.utf8) } ?? [], as: profile)
    }
  }

  /// Takes the answer to a question, the records of special-purpose addresses being their own.
  func append(
    _ record: Record,
    bytes: Span<UInt8>,
    of question: UInt64,
    to chunk: inout Chunk
  ) {
    chunk.tally.count(record)
    let isExcluded =
      rules.choosesLater
      && hits.withLock { $0.settle(Int(question), record, bytes: bytes) }
    if isExcluded { return }
    profiles.withLock {
      $0.settle(question, record, bytes: bytes, source: record.source?.name ?? "")
    }
  }
}

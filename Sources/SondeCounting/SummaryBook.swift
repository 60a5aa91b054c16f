import SondeAddresses
import SondeInputs
import SondeLogs
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeScanner
import SondeSummary
import Synchronization

/// The counts of a running summary, updated from several threads.
final class SummaryBook: SliceBook, RecordConsumer {
  private let hits: Mutex<SummaryHits>
  private let profiles: Mutex<Profiles>
  private let rules: SummaryRules
  /// The questions that were asked, where not all are.
  private let asked = Mutex<[Int]>([])
  var needsAllFields: Bool { rules.filter != nil || !rules.groupings.isEmpty }

  init(_ rules: SummaryRules) {
    self.rules = rules
    hits = Mutex(SummaryHits(rules))
    profiles = Mutex(rules.columns.map { Profiles(columnsOf: $0) } ?? Profiles())
  }

  var leftOut: LeftOut { hits.withLock(\.leftOut) }

  /// Everything counted so far.
  var counts: SummaryCounts { settled.counts }

  /// Everything so far, and the tally of included addresses in logs; `nil` if the scan has it.
  var settled: (counts: SummaryCounts, tally: Tally?) {
    let hits = hits.withLock(\.settled)
    var counts = SummaryCounts(
      addresses: hits.addresses,
      profiles: profiles.withLock { $0 },
      timeline: hits.timeline
    )
    (counts.occurrences, counts.groupedAddresses) = (hits.occurrences, hits.groupedAddresses)
    return (counts, hits.tally)
  }

  /// The addresses to ask about once everything is counted.
  func remaining() -> LogRun {
    let counts = counts
    let questions =
      rules.asksLater.map { counts.leading(rules.groupings, most: $0, inputs: rules.inputs) }
      ?? judgeTotals()
    asked.withLock { $0 = questions }
    return LogRun(asking: counts.addresses(of: questions), in: counts.periods(of: questions))
  }

  /// Excludes addresses by their totals; returns the questions about all others, in order.
  @discardableResult
  func judgeTotals() -> [Int] { hits.withLock { $0.judgeTotals() } }

  /// Counts the content of a log's slice; returns the addresses that are not yet excluded.
  ///
  /// `lines` is the number of preceding line ends in the input, if needed.
  func count(
    _ slice: CountedSlice,
    behind lines: UInt64,
    ofInput input: UInt32
  ) -> ChosenAddresses {
    hits.withLock { $0.count(slice, behind: lines, ofInput: input) }
  }

  /// Counts a record, unless the rules require a time or exclude it.
  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String) {
    var left = LeftOut()
    if !rules.admits(record.place.time) {
      left.note(recordAt: record.place.time, since: rules.since)
    } else if let filter = rules.filter, filter.excludes(record.counted, bytes: block.bytes.span) {
      left.excluded = 1
    }
    guard left.isEmpty else { return hits.withLock { $0.leave(left) } }
    let profile = profiles.withLock {
      $0.id(of: record, bytes: block.bytes.span, status: status, source: source)
    }
    let zone = record.address == nil ? nil : block.text(.item, of: record)
    hits.withLock {
      $0.count(
        record,
        zone: zone.map { Array($0.utf8) } ?? [],
        as: profile
      )
    }
  }

  /// Counts the occurrences of a list's addresses.
  func count(_ entries: EntryBlock) {
    hits.withLock { hits in
      for record in entries.block.records where record.address != nil {
        hits.count(record.address, zone: entries.block.text(.item, of: record))
      }
    }
  }

  /// Takes a record as the answer about its address; false if that has no counted occurrence.
  func settle(_ record: Record, of block: RecordBlock, source: String) -> Bool {
    guard let address = record.address else { return false }
    let zone = block.text(.item, of: record).map { Array($0.utf8) }
    let question = hits.withLock { $0.addresses.question(about: address, zone: zone) }
    guard let question else { return false }
    profiles.withLock {
      $0.settle(UInt64(question.number), record, bytes: block.bytes.span, source: source)
    }
    return true
  }

  /// Applies the answer to a question; records of special-purpose addresses are their own answers.
  func append(_ record: Record, bytes: Span<UInt8>, of question: UInt64, to chunk: inout Chunk) {
    chunk.tally.count(record)
    let question =
      rules.asksAtEnd ? asked.withLock { UInt64($0[Int(question)]) } : question
    let isExcluded =
      rules.choosesLater
      && hits.withLock { $0.settle(Int(question), record, bytes: bytes) }
    if isExcluded { return }
    profiles.withLock {
      $0.settle(question, record, bytes: bytes, source: record.source?.name ?? "")
    }
  }
}

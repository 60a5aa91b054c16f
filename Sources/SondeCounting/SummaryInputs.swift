import SondeAddresses
import SondeInputs
import SondeLogs
import SondeRecords
import SondeSummary

/// Receives what is found in logs and captures, besides records.
protocol SliceBook: RecordBook {
  /// Counts the content of a log's slice; returns the addresses to ask about.
  ///
  /// `lines` is the number of preceding line ends in the input, if needed.
  func count(_ slice: CountedSlice, behind lines: UInt64, ofInput input: UInt32)
    -> ChosenAddresses

  /// The addresses to ask about once everything is counted.
  func remaining() -> LogRun
}

/// The inputs of a summary: records are counted unchanged; in logs every occurrence is counted, and
/// each new address becomes an entry to ask about.
///
/// It may be used by one thread at a time; its runs become records in any task.
final class SummaryInputs: EntrySource {
  private let reader: LogReader<CountedSlice>
  private let book: any SliceBook
  private let progress: ReadCounters
  /// The time of the line in which the last slice ended.
  private var time: Int64?
  /// The time that holds in a line without one before which no line of its slice has one.
  private var moment: Int64?
  /// The number of line ends before the next slice, if needed.
  private var lineEnds: UInt64 = 0
  /// What the first lines of the addresses claim about which is asked at the end.
  private var claims: [Address: CrawlerClaims] = [:]
  /// Undelivered entries.
  private var run: LogRun?
  /// An undelivered error that ended an input.
  private var failure: InputError?
  /// Whether addresses will be asked about at the end.
  private var asksAtEnd: Bool
  /// The size on disk of the inputs that are finished.
  private var finishedBytes: UInt64 = 0

  /// Starts reading.
  ///
  /// - Throws: ``InputError`` if no more files or threads are available.
  init(
    _ inputs: InputSet,
    _ rules: SummaryRules,
    _ book: any SliceBook,
    _ progress: ReadCounters
  ) throws(InputError) {
    (self.book, self.progress, asksAtEnd) = (book, progress, rules.asksAtEnd)
    let source = try LogSource(
      inputs,
      records: rules.isLog ? nil : book,
      pick: rules.pick,
      findings: rules.pickFindings,
      refangs: rules.refangs,
      keepsLines: rules.readsLines
    )
    reader = try LogReader(source, size: inputs.size) { CountedSlice($0, rules) }
  }

  /// Ends all waits, from any thread.
  var cancel: @Sendable () -> Void { { [reader] in reader.cancel() } }

  func next(limit: Int, deadline: ContinuousClock.Instant?) throws(CancellationError) -> Step {
    while true {
      if let step = rest(limit) { return step }
      switch try reader.next(until: deadline) {
      case .silence: return .delivery(.silence)
      case .end:
        guard asksAtEnd else { return .delivery(.end) }
        asksAtEnd = false
        run = book.remaining().claiming(claims)
      case .element(let element):
        failure = element.step.failure
        if let slice = element.output { count(slice, of: element.step) }
        let bytes = finishedBytes + element.step.position
        progress.update { $0.bytes = bytes }
        // The next one starts a line.
        if element.step.isLast { (finishedBytes, time, moment, lineEnds) = (bytes, nil, nil, 0) }
      }
    }
  }

  /// The rest of the last slice.
  private func rest(_ limit: Int) -> EntryReader.Step? {
    if var rest = run {
      defer {
        progress.update { $0.held = rest.count }
        run = rest.isEmpty ? nil : rest
      }
      if !rest.isEmpty { return .run(rest.removeFirst(limit).entries) }
    }
    defer { failure = nil }
    return failure.map { .delivery(.failure($0)) }
  }

  private func count(_ counted: CountedSlice, of step: LogSource.Step) {
    var slice = counted
    slice.settleLeading(time)
    if case .known(let time) = slice.last { self.time = time }
    slice.settlePeriods(after: moment)
    moment = slice.lastMoment ?? moment
    let input = UInt32(truncatingIfNeeded: step.input)
    let chosen = book.count(slice, behind: lineEnds, ofInput: input)
    lineEnds += UInt64(slice.lineEnds)
    let claims = slice.firstClaims
    if asksAtEnd, claims.isEmpty { return }
    let findings = LogFindings(chosen.found, input: input)
    let new = LogRun(
      findings,
      masks: chosen.masks,
      places: chosen.places,
      first: chosen.first
    ).claiming(claims)
    guard asksAtEnd else {
      run = new
      return
    }
    for record in new.entries().block.records where !record.place.claims.isEmpty {
      if let address = record.address { self.claims[address] = record.place.claims }
    }
  }
}

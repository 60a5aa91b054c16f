import SondeAddresses
import SondeInputs
import SondeLogs
import SondeSummary

/// The inputs of a summary: records are counted as they are, and of logs every occurrence of an
/// address is, while each address that is new becomes an entry to be asked about.
///
/// One thread at a time may use it; what it gives out becomes records in any task.
final class SummaryInputs: EntrySource {
  private let reader: LogReader<CountedSlice>
  private let book: SummaryBook
  private let progress: ReadCounters
  /// The time of the line that the last slice ended in.
  private var time: Int64?
  /// The line ends before the next slice, where somebody wants to know.
  private var lineEnds: UInt64 = 0
  /// Entries that are not given out yet.
  private var run: LogRun?
  /// Why an input ended, not yet given out.
  private var failure: InputError?
  /// The bytes of the inputs that are read, as they lie on the disk.
  private var finishedBytes: UInt64 = 0

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, opened; no literals.
  ///   - rules: What is counted.
  ///   - book: Where it is.
  ///   - progress: Told how far the reading is.
  /// - Throws: ``InputError`` when the process can have no more files or threads.
  init(
    _ inputs: InputSet,
    _ rules: SummaryRules,
    _ book: SummaryBook,
    _ progress: ReadCounters
  ) throws(InputError) {
    (self.book, self.progress) = (book, progress)
    let source = try LogSource(
      inputs,
      records: rules.isLog ? nil : book,
      isForSummary: true,
      traffic: rules.awaitedTraffic
    )
    reader = try LogReader(source, size: inputs.size) { CountedSlice($0, rules) }
  }

  /// Ends every wait, from any thread.
  var cancel: @Sendable () -> Void { { [reader] in reader.cancel() } }

  func next(
    limit: Int,
    deadline: ContinuousClock.Instant?
  ) throws(CancellationError) -> EntryReader.Step {
    while true {
      if let step = rest(limit) { return step }
      switch try reader.next(until: deadline) {
      case .silence: return .delivery(.silence)
      case .end: return .delivery(.end)
      case .element(let element):
        failure = element.step.failure
        if let slice = element.output { count(slice, of: element.step) }
        let bytes = finishedBytes + element.step.position
        progress.update { $0.bytes = bytes }
        // The next one begins a line.
        if element.step.isLast { (finishedBytes, time, lineEnds) = (bytes, nil, 0) }
      }
    }
  }

  /// What is left of the last slice.
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
    let input = UInt32(truncatingIfNeeded: step.input)
    var chosen = book.count(slice, behind: lineEnds, ofInput: input)
    lineEnds += UInt64(slice.lineEnds)
    // What was kept to the end of a capture has left none of its last slice.
    if step.isLast, slice.waitsForEnd { chosen = book.countHeld() }
    let findings = LogFindings(chosen.found, input: input)
    run = LogRun(findings, line: 0, masks: chosen.masks, first: chosen.first)
  }
}

import Addresses
import Summary

/// The inputs of a summary: records are counted as they are, and of logs every occurrence of an
/// address is, while each address that is new becomes an entry to be asked about.
///
/// One thread at a time may use it; what it gives out becomes records in any task.
final class SummaryInputs {
  private let reader: LogReader<CountedSlice>
  private let book: SummaryBook
  /// Why logs cannot be counted.
  private let flaw: String?
  private let progress: ReadCounters
  private let names: [String]
  /// The time of the line that the last slice ended in.
  private var line: Int64?
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
    (self.book, self.progress, flaw) = (book, progress, rules.flawForLogs)
    names = inputs.inputs.map(\.name)
    let source = try LogSource(inputs, records: rules.isLog ? nil : book)
    reader = try LogReader(source, size: inputs.size) { CountedSlice($0, rules) }
  }

  /// Ends every wait, from any thread.
  var cancel: @Sendable () -> Void { { [reader] in reader.cancel() } }

  /// Waits for the next entries.
  ///
  /// - Parameters:
  ///   - limit: The most of them.
  ///   - deadline: When waiting ends; `nil` is never.
  /// - Returns: Entries, or why there are none.
  /// - Throws: `CancellationError` when the wait was ended.
  func next(
    limit: Int,
    deadline: ContinuousClock.Instant?
  ) throws(CancellationError) -> LogInputs.Step {
    while true {
      if let step = rest(limit) { return step }
      switch try reader.next(until: deadline) {
      case .silence: return .delivery(.silence)
      case .end: return .delivery(.end)
      case .element(let element):
        failure = element.step.failure
        if let slice = element.output {
          if let flaw {
            failure = .misuse(of: names[element.step.input], flaw)
          } else {
            count(slice, ofInput: element.step.input)
          }
        }
        let bytes = finishedBytes + element.step.position
        progress.update { $0.bytes = bytes }
        // The next one begins a line.
        if element.step.isLast { (finishedBytes, line) = (bytes, nil) }
      }
    }
  }

  /// What is left of the last slice.
  private func rest(_ limit: Int) -> LogInputs.Step? {
    if var rest = run {
      defer {
        progress.update { $0.held = rest.count }
        run = rest.isEmpty ? nil : rest
      }
      if !rest.isEmpty { return .run(rest.removeFirst(limit)) }
    }
    defer { failure = nil }
    return failure.map { .delivery(.failure($0)) }
  }

  private func count(_ counted: CountedSlice, ofInput input: Int) {
    var slice = counted
    slice.settleLeading(line)
    if case .known(let time) = slice.last { line = time }
    let (masks, first) = book.count(slice)
    let findings = LogFindings(slice.found, input: UInt32(truncatingIfNeeded: input))
    run = LogRun(findings, line: 0, masks: masks, first: first)
  }
}

import SondeAddresses
public import SondeAsking
public import SondeInputs
public import SondeOutputs
import SondeRecords
public import SondeScanner
public import SondeStore
import Synchronization

/// Copies logs, and inserts what is known of the addresses in them.
///
/// Bounded everywhere: lines that wait for answers, or a slow output, stop the reader.
public final class Annotation: WatchableRun {
  /// How the lines go out.
  public struct Rules: Sendable {
    /// The longest that a line waits for its answers, from its reading on; `nil` is for ever.
    public var wait: Duration?
    /// Whether lines without an address are left out.
    public var onlyMatching = false
    /// Batches that may wait for their answers at once.
    public var batches = 16

    /// Makes the default rules.
    public init() {}
  }

  private let reader: LineReader
  private let chain: ProviderChain
  private let texts: EntryTexts
  private let spill: AnswerSpill
  private let rules: Rules
  private let sink: any RecordSink
  private let packing: Packing?
  private let report: EventHandler
  private let shown = Mutex(ScanProgress())

  /// Makes an annotation, which begins to read.
  ///
  /// - Parameters:
  ///   - inputs: The logs, opened, in their order; no literals.
  ///   - style: What is inserted, and where.
  ///   - chain: Who is asked.
  ///   - spill: Where what is learnt lies for which there is no room in memory.
  ///   - rules: How the lines go out.
  ///   - sink: Where they go.
  ///   - packing: How they are compressed, if they are.
  ///   - report: Told of inputs that fail.
  /// - Throws: ``InputError`` when the process can have no more files or threads.
  public init(
    of inputs: InputSet,
    style: any AnnotationStyle,
    chain: ProviderChain,
    spill: AnswerSpill,
    rules: Rules,
    to sink: any RecordSink,
    packing: Packing?,
    report: @escaping EventHandler
  ) throws {
    texts = EntryTexts(style, chain)
    let source = try LineSource(inputs, style: style)
    reader = try LineReader(
      inputs,
      from: source,
      texts,
      onlyMatching: rules.onlyMatching,
      // A line that may be late goes out as a whole.
      isSlicing: rules.wait == nil || chain.isImmediate
    )
    (self.chain, self.spill, self.rules) = (chain, spill, rules)
    (self.sink, self.packing, self.report) = (sink, packing, report)
  }

  /// How far the run is.
  public var progress: ScanProgress { shown.withLock { $0 } }

  /// How far the reading of its inputs is.
  public var readProgress: ReadProgress { reader.progress }

  /// Runs until every line has gone out, or until it is cancelled; then those have that were known, up
  /// to the first that was not.
  public func run() async -> ScanOutcome {
    var run = AnnotationRun(
      stages: AnnotationStages(reader, chain, texts, spill, rules),
      sink: sink,
      packing: packing
    )
    var outcome = ScanOutcome()
    do throws(OutputError) {
      try await move(&run)
      try await run.finish()
    } catch {
      outcome.outputError = error
    }
    // Nobody is to wait for more of an input.
    reader.cancel()
    outcome.isInterrupted = !run.isOver && outcome.outputError == nil
    (outcome.inputErrors, outcome.tally) = (run.failures, run.stages.books.tally)
    outcome.lines = run.stages.books.lines
    outcome.unanswered = run.stages.books.lines.unanswered
    return outcome
  }

  private func move(_ run: inout AnnotationRun) async throws(OutputError) {
    let end = await withTaskGroup(of: AnnotationStages.Step.self) {
      group -> Result<Void, OutputError> in
      run.stages.start(in: &group)
      while let step = await group.next() {
        for event in run.note(step) { report(event) }
        await run.stages.take(step)
        // Once it is stopped, what is under way comes to its end; what it brings is written then.
        if Task.isCancelled {
          group.cancelAll()
          continue
        }
        if run.isOver {
          finishAsking(run)
          continue
        }
        // Before writing, so that others work meanwhile.
        run.stages.start(in: &group)
        do throws(OutputError) {
          try await run.write()
        } catch {
          chain.stopAsking()
          group.cancelAll()
          return .failure(error)
        }
        shown.withLock { $0 = run.progress }
        // What has gone out makes room for more.
        if run.isOver { finishAsking(run) } else { run.stages.start(in: &group) }
      }
      return .success(())
    }
    try end.get()
  }

  /// Has only those requests come to their ends that were sent: late lines have gone out without their
  /// answers, but these are paid for, and the cache is to have them.
  private func finishAsking(_ run: AnnotationRun) {
    chain.stopAsking()
    run.stages.stopWaiting()
  }
}

/// An annotation under way: its stages, what it has written, and what went wrong.
private struct AnnotationRun {
  var stages: AnnotationStages
  let sink: any RecordSink
  let packing: Packing?
  private(set) var failures: [InputError] = []
  private var hasConverted = false
  private var hasWritten = false

  init(stages: AnnotationStages, sink: any RecordSink, packing: Packing?) {
    (self.stages, self.sink, self.packing) = (stages, sink, packing)
  }

  /// Whether there is nothing left to do.
  var isOver: Bool { stages.isDone || failures.last?.isMisuse == true }

  /// Takes note of what went wrong with an input.
  ///
  /// - Returns: What is to be told.
  mutating func note(_ step: AnnotationStages.Step) -> [ScanEvent] {
    guard case .read(let lines) = step else { return [] }
    var events: [ScanEvent] = []
    if let name = lines.converted, !hasConverted {
      hasConverted = true
      events.append(.converted(input: name))
    }
    if let remark = lines.remark {
      events.append(.remark(input: remark.input, message: remark.message))
    }
    if let failure = lines.failure {
      failures.append(failure)
      if !failure.isMisuse { events.append(.inputError(failure)) }
    }
    return events
  }

  /// Writes the lines whose turn it is.
  mutating func write() async throws(OutputError) {
    while true {
      var output: [UInt8] = []
      let counts = stages.takeDue(into: &output)
      if output.isEmpty, counts.isEmpty { return }
      if !output.isEmpty {
        _ = try await sink.write(output, packing)
        hasWritten = true
      }
      for counts in counts { stages.count(counts) }
    }
  }

  /// Writes what is left, and ends the output.
  mutating func finish() async throws(OutputError) {
    try await write()
    if let counts = stages.window.unfinishedCounts { stages.count(counts) }
    while await stages.breakOffLine() { try await write() }
    // A file of no member at all is no compressed one.
    if packing != nil, !hasWritten { _ = try await sink.write([], packing) }
  }

  /// How far it is.
  var progress: ScanProgress {
    var progress = ScanProgress()
    progress.tally = stages.books.tally
    progress.entriesRead = stages.window.entriesRead
    progress.isInputRead = stages.isInputRead
    progress.lines = stages.window.progress
    return progress
  }
}

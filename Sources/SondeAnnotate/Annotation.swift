import SondeAddresses
public import SondeAsking
public import SondeInputs
import SondeLogs
public import SondeOutputs
public import SondePrivacy
public import SondeRecords
public import SondeScanner
public import SondeStore
public import SondeSystem
import Synchronization

/// Copies logs, and inserts information about the addresses in them.
///
/// All queues are bounded: lines that wait for answers, or a slow output, slow the reader.
public final class Annotation: WatchableRun {
  /// The rules for writing lines.
  public struct Rules: Sendable {
    /// The longest time that a line waits for answers after it was read; `nil` for no limit.
    public var wait: Duration?
    /// Whether lines without an address are dropped.
    public var onlyMatching = false
    /// The condition that at least one address of a line must meet; `nil` for none.
    public var filter: Filter?
    /// Whether nothing is inserted, so that only ``filter`` needs answers.
    public var insertsNothing = false
    /// Replaces addresses in the lines; `nil` if they stay.
    public var anonymizer: Anonymizer?
    /// Which addresses of a line count.
    public var pick = Pick.all
    /// Whether any line has its name.
    package var pickFindings = PickFindings()
    /// Whether defanged marks, such as `[.]`, are the marks that they stand for.
    public var refangs = false
    /// Finds the crawlers that lines claim to come from; `nil` if that does not matter.
    public var claims: CrawlerClaims.Finder?
    /// The periods of which answers are asked for, by the time of each line, or else of the line
    /// before; `nil` if they depend on no time.
    public var periods: BuildPeriods?
    /// The zone of times without one.
    public var zone = TimeZoneRules.utc
    /// The largest number of batches that wait for answers.
    public var batches = 16

    /// Creates the default rules.
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

  /// Creates an annotation of inputs without literals, which starts to read.
  ///
  /// `spill` stores what does not fit into memory, and `report` is called for each input that
  /// fails. Throws ``InputError`` if no more files or threads are available.
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
    let lineRules = LineRules(
      onlyMatching: rules.onlyMatching,
      filter: rules.filter.map { LineFilter($0) },
      insertsNothing: rules.insertsNothing,
      refangs: rules.refangs
    )
    texts = EntryTexts(style, chain, lineRules, rules.anonymizer)
    let source = try LineSource(
      inputs,
      style: style,
      countsLines: lineRules.filter?.countsLines ?? false,
      anonymizer: rules.anonymizer,
      picker: rules.pick == .all ? nil : LinePicker(rules.pick, rules.pickFindings),
      refangs: rules.refangs,
      filter: lineRules.filter.flatMap { $0.readsLines ? $0 : nil },
      claims: rules.claims,
      dating: rules.periods.map { LineDating($0, rules.zone) }
    )
    reader = try LineReader(
      inputs,
      from: source,
      texts,
      // A line that may be late or excluded is written as a whole.
      isSlicing: rules.filter == nil && (rules.wait == nil || chain.isImmediate)
    )
    (self.chain, self.spill, self.rules) = (chain, spill, rules)
    (self.sink, self.packing, self.report) = (sink, packing, report)
  }

  /// The progress of the run.
  public var progress: ScanProgress { shown.withLock { $0 } }

  /// The progress of reading its inputs.
  public var readProgress: ReadProgress { reader.progress }

  /// Runs until all lines are written, or until it is cancelled; then the known lines up to the
  /// first unknown one are written.
  public func run() async -> ScanOutcome {
    var run = Run(stages: AnnotationStages(reader, chain, texts, spill, rules), annotation: self)
    var outcome = ScanOutcome()
    do throws(OutputError) {
      _ = try await run.move()
      try await run.finish()
    } catch {
      outcome.outputError = error
    }
    // Ends all waits for input.
    reader.cancel()
    outcome.isInterrupted = !run.isOver && outcome.outputError == nil
    (outcome.inputErrors, outcome.tally) = (run.failures, run.stages.books.tally)
    outcome.lines = run.stages.books.lines
    outcome.unanswered = run.stages.books.lines.unanswered
    return outcome
  }
}

extension Annotation {
  /// A running annotation: its stages and failures.
  private struct Run: StagedRun {
    var stages: AnnotationStages
    let annotation: Annotation
    private(set) var failures: [InputError] = []
    private var hasConverted = false
    private var hasWritten = false

    init(stages: AnnotationStages, annotation: Annotation) {
      (self.stages, self.annotation) = (stages, annotation)
    }

    var isOver: Bool { stages.isDone || failures.last?.isMisuse == true }

    var finishesWork: Bool { false }

    func isHalted(by step: AnnotationStages.Step) -> Bool { Task.isCancelled }

    mutating func start(in group: inout TaskGroup<AnnotationStages.Step>) {
      if !isOver { stages.start(in: &group) }
    }

    mutating func take(_ step: AnnotationStages.Step) async {
      for event in note(step) { annotation.report(event) }
      await stages.take(step)
    }

    func show() { annotation.shown.withLock { $0 = progress } }

    func stopAsking() { annotation.chain.stopAsking() }

    /// Only finishes requests already sent: late lines were written without their answers, which
    /// are paid for and belong in the cache.
    func windUp(_ group: inout TaskGroup<AnnotationStages.Step>) {
      stopAsking()
      stages.stopWaiting()
    }

    /// Records the failure of an input; returns the events to report.
    private mutating func note(_ step: AnnotationStages.Step) -> [ScanEvent] {
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

    mutating func write() async throws(OutputError) {
      while true {
        var output: [UInt8] = []
        let counts = stages.takeDue(into: &output)
        if output.isEmpty, counts.isEmpty { return }
        if !output.isEmpty {
          _ = try await annotation.sink.write(output, annotation.packing)
          hasWritten = true
        }
        for counts in counts { stages.count(counts) }
      }
    }

    /// Writes the rest, and ends the output.
    mutating func finish() async throws(OutputError) {
      try await write()
      if let counts = stages.window.unfinishedCounts { stages.count(counts) }
      while await stages.breakOffLine() { try await write() }
      // A compressed file needs at least one member.
      if annotation.packing != nil, !hasWritten {
        _ = try await annotation.sink.write([], annotation.packing)
      }
    }

    private var progress: ScanProgress {
      var progress = ScanProgress()
      progress.tally = stages.books.tally
      progress.entriesRead = stages.window.entriesRead
      progress.isInputRead = stages.isInputRead
      progress.lines = stages.window.progress
      return progress
    }
  }
}

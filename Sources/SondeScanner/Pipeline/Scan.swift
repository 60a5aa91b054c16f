public import SondeAsking
public import SondeInputs
public import SondeOutputs
public import SondeRecords
import Synchronization

/// The progress of a running scan, for display.
public struct ScanProgress: Sendable {
  /// The counts of written records.
  public var tally = Tally()

  /// The number of entries that earlier runs have settled.
  public var earlier = 0

  /// The number of entries read so far, including duplicates.
  public var entriesRead = 0

  /// The progress of lines, if lines are copied instead of writing records.
  public var lines: LineProgress?

  /// The number of entries read that wait for their answers.
  public var waiting: Int { lines?.awaited ?? entriesRead - tally.entries }

  /// Whether ``entriesRead`` is final.
  public var isInputRead = false

  /// Creates the progress of a scan that has not started.
  public init() {}
}

/// The progress of copied lines, for display.
public struct LineProgress: Sendable {
  /// The number of occurrences of addresses in written lines.
  public var written = 0
  /// The number of distinct addresses that lines wait for.
  public var awaited = 0

  /// Creates the progress of a run that has not started.
  public init() {}
}

/// A run whose progress can be observed.
public protocol WatchableRun: Sendable {
  /// The progress of the run.
  var progress: ScanProgress { get }

  /// The progress of reading the inputs.
  var readProgress: ReadProgress { get }
}

/// The pipeline that reads entries, asks about them, and writes records.
///
/// All stages are bounded: a slow provider or a slow output slows the reader.
public final class Scan: WatchableRun {
  /// The rules for a scan's records.
  public struct Rules: Sendable {
    /// Whether records are written as soon as they are known, in any order.
    public var isUnordered = false
    /// Whether an address may be asked about more than once.
    public var keepsDuplicates = false
    /// The largest number of batches that wait for answers.
    public var batches = 16
    /// The filter of records; `nil` for none.
    public var filter: Filter?
    /// The fewest distinct addresses that may share a place; places of fewer are left out.
    ///
    /// Above 1, records are written at the end.
    public var leastGroup = 1

    /// Makes the default rules.
    public init() {}
  }

  private let reader: EntryReader
  private let chain: ProviderChain?
  private let outputs: Outputs
  private let consumer: (any RecordConsumer)?
  private let rules: Rules
  private let journal: Journal?
  private let report: EventHandler
  private let shown = Mutex(ScanProgress())
  private let ending = Mutex((isOrdered: false, isFinal: false))

  /// Creates a scan that has not started.
  ///
  /// Without providers, entries are written unchanged; without a journal, it cannot be resumed.
  /// `report` is called for each input that fails.
  public convenience init(
    reader: EntryReader,
    chain: ProviderChain?,
    outputs: Outputs,
    rules: Rules,
    journal: Journal? = nil,
    report: @escaping EventHandler
  ) {
    self.init(reader, chain, outputs, consumer: nil, rules, journal, report)
  }

  /// Creates a scan whose records may go to a consumer instead of the outputs.
  package init(
    _ reader: EntryReader,
    _ chain: ProviderChain?,
    _ outputs: Outputs,
    consumer: (any RecordConsumer)?,
    _ rules: Rules,
    _ journal: Journal?,
    _ report: @escaping EventHandler
  ) {
    (self.reader, self.chain, self.outputs, self.consumer) = (reader, chain, outputs, consumer)
    (self.rules, self.journal, self.report) = (rules, journal, report)
    if let journal { chain?.resume(after: journal.checkpoint.tally) }
  }

  /// The progress of the scan.
  public var progress: ScanProgress { shown.withLock { $0 } }

  /// The progress of reading its inputs.
  public var readProgress: ReadProgress { reader.progress }

  /// Ends the scan early: running work is finished and saved, and nothing more is started.
  ///
  /// A final end, after which it will not be resumed, also writes records after a gap.
  public func stop(isFinal: Bool) {
    ending.withLock { $0 = (true, isFinal) }
    chain?.stopAsking()
  }

  /// Runs until every entry has a record, or until it is cancelled and the known records are
  /// written.
  public func run() async -> ScanOutcome {
    var run = Run(
      stages: Stages(reader, chain, outputs, consumer: consumer, rules, journal),
      scan: self
    )
    run.show()
    var outcome = ScanOutcome()
    do throws(OutputError) {
      outcome.isInterrupted = try await run.move()
      try await run.stages.finish(isFinal: ending.withLock { $0.isFinal })
    } catch {
      outcome.outputError = error
    }
    outcome.inputErrors = run.stages.read.failures
    outcome.tally = run.stages.tally
    outcome.upgrades = run.stages.write.upgrades
    return outcome
  }

  /// A running scan and its stages.
  private struct Run: StagedRun {
    var stages: Stages
    let scan: Scan

    var isOver: Bool { stages.isFinished }

    /// True after a stop, since only a cancellation ends running requests.
    var finishesWork: Bool { scan.ending.withLock { $0.isOrdered } }

    func isHalted(by step: Stages.Step) -> Bool {
      step.isCancelled || finishesWork && !stages.isFinished
    }

    mutating func start(in group: inout TaskGroup<Stages.Step>) { stages.start(in: &group) }

    mutating func take(_ step: Stages.Step) {
      for failure in stages.take(step) { scan.report(.inputError(failure)) }
    }

    func show() { scan.shown.withLock { $0 = stages.progress } }

    mutating func write() async throws(OutputError) { try await stages.write.write() }

    func stopAsking() { scan.chain?.stopAsking() }

    /// Ends a pending commit timer.
    func windUp(_ group: inout TaskGroup<Stages.Step>) { group.cancelAll() }
  }
}

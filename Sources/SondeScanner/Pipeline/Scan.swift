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
  /// - Parameters:
  ///   - reader: The reader of entries.
  ///   - chain: The providers; `nil` writes the entries unchanged.
  ///   - outputs: The outputs of records.
  ///   - rules: The rules for its records.
  ///   - journal: The journal of its progress; `nil` if it cannot be resumed.
  ///   - report: Called for each input that fails.
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
    (self.reader, self.chain, self.outputs) = (reader, chain, outputs)
    (self.consumer, self.rules) = (consumer, rules)
    (self.journal, self.report) = (journal, report)
  }

  /// The progress of the scan.
  public var progress: ScanProgress { shown.withLock { $0 } }

  private func show(_ progress: ScanProgress) { shown.withLock { $0 = progress } }

  /// The progress of reading its inputs.
  public var readProgress: ReadProgress { reader.progress }

  /// Ends the scan early: running work is finished and saved, and nothing more is started.
  ///
  /// - Parameter isFinal: Whether it will not be resumed, so that records after a gap are written,
  ///   too.
  public func stop(isFinal: Bool) {
    ending.withLock { $0 = (true, isFinal) }
    chain?.stopAsking()
  }

  /// Runs until every entry has a record, or until it is cancelled and the known records are
  /// written.
  public func run() async -> ScanOutcome {
    var stages = Stages(reader, chain, outputs, consumer: consumer, rules, journal)
    show(stages.progress)
    var outcome = ScanOutcome()
    do throws(OutputError) {
      outcome.isInterrupted = try await move(&stages)
      try await stages.finish(isFinal: ending.withLock { $0.isFinal })
    } catch {
      outcome.outputError = error
    }
    outcome.inputErrors = stages.read.failures
    outcome.tally = stages.tally
    outcome.upgrades = stages.write.upgrades
    return outcome
  }

  /// Moves entries through the stages until there are no more.
  ///
  /// - Returns: Whether it was cancelled earlier.
  private func move(_ stages: inout Stages) async throws(OutputError) -> Bool {
    let end = await withTaskGroup(of: Stages.Step.self) { group -> Result<Bool, OutputError> in
      var isCancelled = false
      stages.start(in: &group)
      while let step = await group.next() {
        for failure in stages.take(step) { report(.inputError(failure)) }
        let isEnding = ending.withLock { $0.isOrdered }
        if step.isCancelled || isEnding && !stages.isFinished {
          isCancelled = true
          if !isEnding { group.cancelAll() }
        }
        // // Running work is finished, and its results are written.
        if isCancelled { continue }
        show(stages.progress)
        // // Before writing, so that other tasks work meanwhile.
        stages.start(in: &group)
        do throws(OutputError) {
          try await stages.write.write()
        } catch {
          chain?.stopAsking()
          group.cancelAll()
          return .failure(error)
        }
        stages.awaitCommit(in: &group)
        // // A pending commit timer is no longer needed.
        if stages.isFinished { group.cancelAll() }
        show(stages.progress)
      }
      return .success(isCancelled)
    }
    return try end.get()
  }
}

public import SondeAsking
public import SondeInputs
public import SondeOutputs
public import SondeRecords
import Synchronization

/// What a progress display shows of a scan under way.
public struct ScanProgress: Sendable {
  /// The counts of what was written so far.
  public var tally = Tally()

  /// Entries that the runs before this one have settled.
  public var earlier = 0

  /// Entries read so far, duplicates included.
  public var entriesRead = 0

  /// How far the lines are, where they are copied and no records are written.
  public var lines: LineProgress?

  /// Addresses and other entries read that wait for their answers.
  public var waiting: Int { lines?.awaited ?? entriesRead - tally.entries }

  /// Whether ``entriesRead`` is all there is.
  public var isInputRead = false

  /// Makes the progress of a scan that has not begun.
  public init() {}
}

/// What a progress display shows of lines that are copied.
public struct LineProgress: Sendable {
  /// Occurrences of addresses in the lines that have gone out.
  public var written = 0
  /// Distinct addresses that lines wait for.
  public var awaited = 0

  /// Makes the progress of a run that has not begun.
  public init() {}
}

/// A run that can be watched while it is under way.
public protocol WatchableRun: Sendable {
  /// How far it is.
  var progress: ScanProgress { get }

  /// How far the reading of its inputs is.
  var readProgress: ReadProgress { get }
}

/// The pipeline: entries are read, asked about, and written as records.
///
/// Bounded everywhere: a slow provider or a slow output stops the reader.
public final class Scan: WatchableRun {
  /// What a scan does with its records.
  public struct Rules: Sendable {
    /// Whether records are written as soon as they are known, in any order.
    public var isUnordered = false
    /// Whether an address may be asked about more than once.
    public var keepsDuplicates = false
    /// Batches that may wait for their answers at once.
    public var batches = 16
    /// What records must be like to be written; `nil` for all.
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

  /// Makes a scan that has not begun.
  ///
  /// - Parameters:
  ///   - reader: Where the entries come from.
  ///   - chain: Who is asked; `nil` writes the entries as they are.
  ///   - outputs: Where the records go.
  ///   - rules: What the scan does with its records.
  ///   - journal: Where it is written how far the scan is; `nil` where it is not to be resumed.
  ///   - report: Told of inputs that fail.
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

  /// Makes a scan whose records a consumer may take in place of the outputs.
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

  /// How far the scan is.
  public var progress: ScanProgress { shown.withLock { $0 } }

  private func show(_ progress: ScanProgress) { shown.withLock { $0 = progress } }

  /// How far the reading of its inputs is.
  public var readProgress: ReadProgress { reader.progress }

  /// Has it end before its time: what is under way comes to its end and is kept, nothing more begins.
  ///
  /// - Parameter isFinal: Whether it will not be resumed, so that what is known behind a gap is
  ///   written, too.
  public func stop(isFinal: Bool) {
    ending.withLock { $0 = (true, isFinal) }
    chain?.stopAsking()
  }

  /// Runs until the inputs are read and every entry has its record, or until it is cancelled; then
  /// what is known is written.
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
  /// - Returns: Whether it was cancelled before.
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
        // What is under way comes to its end; what it brings is written then.
        if isCancelled { continue }
        show(stages.progress)
        // Before writing, so that others work meanwhile.
        stages.start(in: &group)
        do throws(OutputError) {
          try await stages.write.write()
        } catch {
          chain?.stopAsking()
          group.cancelAll()
          return .failure(error)
        }
        stages.awaitCommit(in: &group)
        // Nobody waits for a time to commit that nothing comes before.
        if stages.isFinished { group.cancelAll() }
        show(stages.progress)
      }
      return .success(isCancelled)
    }
    return try end.get()
  }
}

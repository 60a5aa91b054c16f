import Providers
import Records
import Scanner
import Store

/// The way of `scan`, `lookup` and `me`: inputs through the providers to the outputs, with events,
/// progress, a summary and the exit status.
struct Enrichment {
  private let context: Context
  private let inputs: [Input]
  private let isLookup: Bool
  /// What tells what happens, and what was spent, where the run began before its input was known;
  /// the events file is open.
  private let earlier: (reporter: Reporter, counters: RunCounters)?

  /// Makes a run.
  ///
  /// - Parameters:
  ///   - context: The options, and the streams of the process.
  ///   - inputs: Where the addresses come from.
  ///   - cards: Whether a terminal gets a card for each address instead of a table, and no summary.
  ///   - earlier: What tells what happens, already to the events file, and what has been spent;
  ///     `nil` begins both.
  init(
    _ context: Context,
    inputs: [Input],
    cards: Bool,
    after earlier: (reporter: Reporter, counters: RunCounters)? = nil
  ) {
    self.context = context
    self.inputs = inputs
    isLookup = cards
    self.earlier = earlier
  }

  func run() async throws -> ExitStatus {
    let console = context.console
    let reporter = earlier?.reporter ?? Reporter(console: console)
    // Everything that can be refused is, before the first output is emptied.
    let setup = try context.providers { reporter.report($0) }
    try context.checkOutputs(against: inputs)
    let opened = try context.opened(inputs)
    let beginning = try context.beginning(of: inputs)
    if case .finished(let path) = beginning {
      console.note("\(path) is finished; nothing was asked")
      return .success
    }
    let (reader, outputs, journal) = try await prepare(opened, beginning, reporter)
    let scan = Scan(
      reader: reader,
      chain: setup.chain,
      outputs: outputs,
      rules: rules,
      journal: journal
    ) { reporter.report($0) }
    return await run(scan, setup: setup, reporter: reporter, journal: journal) { await scan.run() }
  }

  /// Opens what is written; the journal comes last, and goes when something fails after it.
  private func prepare(
    _ opened: InputSet,
    _ beginning: ScanBeginning,
    _ reporter: Reporter
  ) async throws -> (EntryReader, Outputs, Journal?) {
    let reader = try EntryReader(inputs: opened, rules: context.entryRules)
    var (journal, isNew) = (beginning.journal, false)
    do {
      let outputs = try await context.outputs(
        named: beginning.inputNames ?? inputs.map(\.name),
        cards: isLookup,
        resumed: beginning.sinks
      ) {
        let events =
          earlier == nil ? try context.events(appends: beginning.sinks != nil) : nil
        if case .anew(let path) = beginning {
          journal = try context.newJournal(at: path, inputs)
          isNew = true
        }
        try events?.empty()
        if earlier == nil { reporter.record(to: events) }
      }
      return (reader, outputs, journal)
    } catch {
      if isNew { journal?.remove() }
      throw error
    }
  }

  /// Runs what has been set up.
  ///
  /// - Parameters:
  ///   - scan: What is shown as it goes on.
  ///   - setup: Who is asked.
  ///   - reporter: Tells what happens.
  ///   - journal: Says how far the run is, if it can be resumed.
  ///   - work: Runs it, and does what is left to do when everything is written.
  /// - Returns: The status to end with.
  func run(
    _ scan: Scan,
    setup: ProviderSetup,
    reporter: Reporter,
    journal: Journal? = nil,
    _ work: @escaping @Sendable () async -> ScanOutcome
  ) async -> ExitStatus {
    let console = context.console
    let start = ContinuousClock.now
    let counters = { @Sendable in setup.counters(since: start) }
    journal?.count(counters)
    reporter.follow(scan, of: job(isResumable: journal != nil))
    let watchesOutput = context.writesToStandardOutput
    var (outcome, signal) = await Signals.cancelling(watchesOutput: watchesOutput) {
      [isLookup, inputs] in
      guard !isLookup else { return await setup.chain.watchingNetwork(work) }
      return await ProgressDisplay.showing(of: inputs, on: console) {
        reporter.progress(scan.readProgress, allowance: setup.chain.remaining)
      } while: {
        await setup.chain.watchingNetwork(work)
      }
    }
    outcome.note(end: signal)
    return await Signals.finishing { [outcome, earlier] in
      await setup.close()
      var report = reporter.current
      report.outcome = outcome
      report.counters = journal?.earlier ?? earlier?.counters ?? RunCounters()
      report.counters += counters()
      report.isRefused = setup.chain.hasRefusal
      if !report.isSatisfied, let databases = setup.databases { reporter.sayState(of: databases) }
      let status = reporter.finish(report, signal: signal)
      // The journal goes last, so that a process that is killed before leaves something to resume.
      if outcome.isComplete { journal?.remove() }
      return status
    }
  }

  /// What the report has to know of the run.
  private func job(isResumable: Bool) -> RunReport.Job {
    let options = context.options
    var job = RunReport.Job()
    job.isLookup = isLookup
    job.countsInvalid = options.strict
    job.isLog = options.log
    job.hasProviders = true
    job.preferred = options.providers.first.flatMap { $0.service == nil ? nil : $0.name }
    job.isUpgradable = !context.mainFormat(cards: isLookup).isForPerson
    job.output = options.output
    job.isResumable = isResumable
    job.window = context.window
    return job
  }

  private var rules: Scan.Rules {
    var rules = Scan.Rules()
    rules.isUnordered = context.options.unordered
    rules.keepsDuplicates = context.options.duplicates == .keep
    rules.batches = 2 * context.options.concurrency
    return rules
  }
}

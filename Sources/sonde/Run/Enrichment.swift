import SondeSetup
import SondeAsking
import SondeCounting
import SondeDatabases
import SondeInputs
import SondeLogs
import SondeOptions
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeReport
import SondeScanner
import SondeSources
import SondeSystem

/// The common part of `scan`, `lookup`, `me`, `check`, `upgrade`, `summary` and `block`.
///
/// It passes inputs through the providers to the outputs, with events, progress and exit status.
struct Enrichment {
  /// Work done before the inputs are known, as when `me` looks up the address of this machine.
  struct Prelude {
    /// Writes messages and, once the outputs are checked, the events file.
    let reporter: Reporter
    let counters: RunCounters
    let kept: StoreSetup.Kept
  }

  private let context: Context
  private let inputs: [Input]
  private let prelude: Prelude?

  /// Creates a run; `prelude` is the work already done for it, if any.
  init(_ context: Context, inputs: [Input], after prelude: Prelude? = nil) {
    (self.context, self.inputs, self.prelude) = (context, inputs, prelude)
  }

  private var isLookup: Bool { context.command.isForPerson }
  private var asksProviders: Bool { context.command != .check }

  func run() async throws -> ExitStatus {
    let reporter = prelude?.reporter ?? Reporter(console: context.console)
    // All options are validated before the first output is truncated.
    try InputSetup(context).checkRange(of: inputs)
    try InputSetup(context).checkNetworks()
    if prelude == nil { try OutputChecks.check(context, against: inputs) }
    let providers = asksProviders ? try await self.providers(reporter) : nil
    let opened = try InputSet(
      readable: inputs,
      captures: InputSetup(context).captures,
      range: context.options.range
    )
    let resume = ResumeSetup(context, databases: providers?.databases)
    let beginning = try resume.beginning(of: inputs)
    if case .finished(let path) = beginning {
      context.console.note("\(path) is finished; nothing was asked")
      return try await account(for: path)
    }
    let division = try division(by: providers?.databases)
    let (reader, outputs, rules, journal) =
      try await prepare(opened, beginning, resume, division, reporter)
    let scan = Scan(
      reader: reader,
      chain: providers?.chain,
      outputs: outputs,
      rules: rules,
      journal: journal
    ) { reporter.report($0) }
    return await run(scan, asking: providers, reporter, journal: journal) { await scan.run() }
  }

  /// Adds the summary of a scan that is already finished to the events, from its files.
  ///
  /// Nothing else is written; that scan's rejected and missing addresses are unchanged.
  private func account(for output: String) async throws -> ExitStatus {
    let start = ContinuousClock.now
    guard var events = try OutputSetup(context).events(appends: true) else { return .success }
    let rejects = context.options.rejects.flatMap {
      FileStatus(path: $0)?.isRegular == true ? $0 : nil
    }
    let (result, signal) = await Signals.cancelling(
      watchesOutput: context.options.writesToStandardOutput
    ) { () -> Result<Tally, any Error> in
      do {
        return .success(
          try await FinishedRecords().tally(of: [output, rejects].compactMap(\.self))
        )
      } catch {
        return .failure(error)
      }
    }
    if let signal { return signal }
    var job = job(isResumable: false)
    // Records do not show which answers of sources are missing.
    job.statusColumns = []
    var report = RunReport(of: job, from: start)
    do {
      report.outcome.tally = try result.get()
    } catch let error as MissingStatusError {
      context.console.note("no account of it in the events: \(error)")
      return .success
    } catch let error as InputError {
      context.console.error("no account of it in the events: \(error.words)")
      return .inputOutput
    }
    report.counters = RunCounters(since: start, nil, nil)
    events.write(report.event.line)
    guard let error = events.finalError else { return .success }
    context.console.error("\(error)")
    return .inputOutput
  }

  private func providers(_ reporter: Reporter) async throws -> RunProviders {
    try await ProviderSetup(context).providers(with: prelude?.kept) { reporter.report($0) }
  }

  /// The division of list items by the networks of databases; `nil` unless it is wanted.
  private func division(by databases: LocalDatabases?) throws(UsageError) -> NetworkDivision? {
    guard context.options.byNetwork, let databases else { return nil }
    do throws(DatabaseError) {
      return try databases.division()
    } catch {
      throw context.setupError("\(error)")
    }
  }

  /// Opens the outputs; the journal comes last and is removed if a later step fails.
  private func prepare(
    _ opened: InputSet,
    _ beginning: ScanBeginning,
    _ resume: ResumeSetup,
    _ division: NetworkDivision?,
    _ reporter: Reporter
  ) async throws -> (EntryReader, Outputs, Scan.Rules, Journal?) {
    try InputSetup(context).checkPick()
    // A journal of anonymized records holds no true names.
    let earlierNames = context.anonymizer == nil ? beginning.inputNames : nil
    let names = earlierNames ?? inputs.map(\.name)
    var rules = try InputSetup(context).entryRules(named: names)
    rules.division = division
    sayOrder(of: rules)
    let reader = try EntryReader(inputs: opened, rules: rules, revealing: context.pseudonyms)
    let setup = OutputSetup(context)
    var (journal, isNew) = (beginning.journal, false)
    do {
      let outputs = try await setup.outputs(
        named: names,
        cards: isLookup,
        sightings: rules.sightings,
        resumed: beginning.sinks
      ) {
        let events = prelude == nil ? try setup.events(appends: beginning.sinks != nil) : nil
        if case .anew(let path) = beginning {
          journal = try resume.newJournal(at: path, inputs)
          isNew = true
        }
        try events?.empty()
        if prelude == nil { reporter.record(to: events) }
      }
      return (reader, outputs, try scanRules(named: names, rules.sightings), journal)
    } catch {
      if isNew { journal?.remove() }
      throw error
    }
  }

  func run(
    _ run: any WatchableRun,
    asking providers: RunProviders?,
    _ reporter: Reporter,
    journal: Journal? = nil,
    _ work: @escaping @Sendable () async -> ScanOutcome
  ) async -> ExitStatus {
    let start = ContinuousClock.now
    let counters = { @Sendable in
      RunCounters(since: start, providers?.budget, providers?.chain.networkStatus)
    }
    journal?.count(counters)
    reporter.follow(run, of: job(isResumable: journal != nil))
    let chain = providers?.chain
    let watchedWork = { @Sendable in
      if let chain { await chain.watchingNetwork(work) } else { await work() }
    }
    var (outcome, signal) = await Signals.cancelling(
      watchesOutput: context.options.writesToStandardOutput,
      preparing: { chain?.stopAsking() }
    ) { [isLookup, inputs, console = context.console] in
      guard !isLookup else { return await watchedWork() }
      return await ProgressDisplay.showing(of: inputs, on: console) {
        reporter.progress(run.readProgress, allowance: providers?.chain.remaining)
      } while: {
        await watchedWork()
      }
    }
    outcome.note(end: signal)
    return await Signals.finishing { [outcome, prelude, context] in
      await providers?.close()
      var spent = journal?.earlier ?? prelude?.counters ?? RunCounters()
      spent += counters()
      if let databases = providers?.databases, outcome.outputError == nil {
        reporter.sayState(of: databases, isAsOfEarlier: context.options.asOf != nil)
        if isLookup, context.writesToTerminal { reporter.sayNames(of: databases) }
      }
      let result = reporter.finish(
        outcome,
        spent: spent,
        isRefused: providers?.chain.hasRefusal ?? false,
        isSourceRefused: providers?.chain.hasRefusedSource ?? false,
        signal: signal
      )
      let status = ExitStatus.highest(of: [result, InputSetup(context).pickStatus])
      // Removed last, so that a process killed before this leaves a resumable scan.
      if outcome.isComplete { journal?.remove() }
      return status
    }
  }

  /// The properties of the run that the report needs.
  private func job(isResumable: Bool) -> RunReport.Job {
    let options = context.options
    var job = RunReport.Job()
    job.isLookup = isLookup
    job.isLog = options.log || context.command == .annotate
    job.readsFiles = [.annotate, .summary, .block].contains(context.command)
    job.writesAtEnd = [.summary, .block].contains(context.command) || options.summary
    job.dropsLongLines = context.anonymizer != nil
    job.isOfJSON = context.command == .annotate && options.style == .json
    job.output = options.output
    job.hasFilter = context.filter != nil
    job.statusColumns = context.addedColumns.filter { $0.form == .status }.map(\.name)
    job.isComparison = context.comparison != nil
    // That of any of them.
    if job.isComparison { job.statusColumns = ["sources"] }
    job.asksRegistries = context.asked.contains(where: \.countsRequests)
    job.isResumable = isResumable
    guard asksProviders, let first = options.providers.first else {
      job.countsInvalid = true
      return job
    }
    job.countsInvalid = options.strict
    job.hasProviders = true
    job.preferred = first.service == nil || job.isComparison ? nil : first.name
    let output = OutputSetup(context)
    let format = output.mainFormat(cards: isLookup)
    job.isUpgradable =
      context.command.writesRecords && format.isReadAgain
      && Set([.ip, .status, .source]).isSubset(of: output.fields(of: format))
      && options.output.flatMap { FileStatus(path: $0) }?.isRegular ?? true
    job.needsNewFile = options.output.map { OutputEnding($0).packing != nil } ?? false
    job.window = ProviderSetup(context).window(of: first)
    return job
  }

  /// Tells people why records wait for the end of the input.
  private func sayOrder(of rules: EntryRules) {
    let countsTotals = rules.sightings?.countsTotals ?? false
    guard countsTotals || context.options.minGroup > 1, context.writesToTerminal else { return }
    context.console.note("records come at the end of the input, when the totals are known")
  }

  func scanRules(
    named names: [String],
    _ sightings: Sightings? = nil
  ) throws(UsageError) -> Scan.Rules {
    var rules = Scan.Rules()
    rules.filter = try context.filter(named: names, sightings: sightings)
    rules.isUnordered = context.options.unordered
    // An address may also be an entry at several places, of which a condition chooses.
    rules.keepsDuplicates =
      context.options.duplicates == .keep || rules.filter?.dependsOnPlace ?? false
    rules.leastGroup = context.options.minGroup
    rules.batches = 2 * context.options.concurrency
    return rules
  }
}

import SondeAsking
import SondeCatalog
import SondeInputs
import SondeLogs
import SondeOutputs
import SondeProviders
import SondeReachability
import SondeRecords
import SondeScanner
import SondeSystem
import SondeUpgrade
import Synchronization

/// One run of a scan, by the same pipeline as `sonde scan` and `sonde upgrade`, from the position
/// in its journal until its end or a halt.
final class ScanExecution: Sendable {
  /// The parameters of a run.
  struct Job: Sendable {
    let folder: ScanFolder
    /// The owner.
    let user: String
    /// The displayed name of the input.
    let name: String
    let mode: InputMode
    /// The providers' names; `nil` for the default ones.
    let provider: String?
    /// Whether existing rows are asked for again.
    let isRetry: Bool
    /// The maximum unpacked bytes of the input.
    let longestUnpacked: UInt64
  }

  /// The result of a run.
  struct Outcome: Sendable {
    var end: ScanLife.End
    /// The counts of all runs; `nil` if it did not begin or was a retry.
    var tally: Tally?
    /// The counters of all runs of the same journal.
    var counters = RunCounters()
    /// The records of this run.
    var records = 0
  }

  /// The progress of a run.
  struct Glance: Sendable {
    let progress: ScanProgress
    let counters: RunCounters
    /// Requests that the quota currently allows.
    let quota: Int?
    /// The endpoint of the path whose losses count.
    let endpoint: String?

    /// The records of this run.
    var records: Int { progress.tally.records - progress.earlier }
  }

  private struct Running: Sendable {
    let scan: Scan
    let chain: ProviderChain
    let counters: @Sendable () -> RunCounters
  }

  private struct State {
    var running: Running?
    var isHalted = false
    var isFinal = false
    var isLocked = false
  }

  private let job: Job
  private let services: DashboardServices
  private let state = Mutex(State())
  private let opening = Opening()
  /// Ends a wait for another program that has locked the table.
  private let interruption = Interruption()
  private let told: AsyncStream<ScanEvent>.Continuation

  /// Changes of the network and of quotas until the run ends; they are few.
  let events: AsyncStream<ScanEvent>

  init(_ job: Job, _ services: DashboardServices) {
    (self.job, self.services) = (job, services)
    (events, told) = AsyncStream.makeStream(of: ScanEvent.self, bufferingPolicy: .unbounded)
  }

  /// The progress; `nil` before it has begun.
  var glance: Glance? {
    guard let running = state.withLock({ $0.running }) else { return nil }
    return Glance(
      progress: running.scan.progress,
      counters: running.counters(),
      quota: running.chain.remaining,
      endpoint: running.chain.networkStatus?.endpoint
    )
  }

  /// Whether it waits because another program has locked the table.
  var isLocked: Bool { state.withLock { $0.isLocked } }

  /// Starts no more requests and stores the answers to those in flight, unless the table is locked.
  ///
  /// A final halt is not resumed.
  func halt(isFinal: Bool) {
    let running = state.withLock { state in
      (state.isHalted, state.isFinal) = (true, isFinal)
      return state.running
    }
    interruption.end()
    running?.scan.stop(isFinal: isFinal)
  }

  /// Waits while another program has locked the table, until halted or cancelled.
  private var lockedTable: LockedDatabase {
    // Reports come in pairs: one when a wait begins, one when it ends.
    LockedDatabase(endedBy: interruption) { [self] _ in state.withLock { $0.isLocked.toggle() } }
  }

  /// Runs until it is complete, halted or cancelled.
  func run() async -> Outcome {
    await withTaskCancellationHandler {
      await work()
    } onCancel: {
      interruption.end()
    }
  }

  private func work() async -> Outcome {
    defer {
      told.finish()
      // Releases the journal and its lock.
      state.withLock { $0.running = nil }
    }
    do {
      return job.isRetry ? try await askAgain() : try await scan()
    } catch let error as OutputError {
      return Outcome(end: end(by: error))
    } catch let error as ResumeError {
      if let error = error.outputError, error.isDiskFull { return Outcome(end: end(by: error)) }
      return Outcome(end: failure("cannot be resumed: \(error)"))
    } catch let error as InputError {
      return Outcome(end: failure("the input: \(error.reason)"))
    } catch {
      return Outcome(end: failure("\(error)"))
    }
  }

  private func end(by error: OutputError) -> ScanLife.End {
    error.isDiskFull ? .diskFull : failure(error.reason)
  }

  /// A failure; after a halt, which may have caused it, the next run shows whether it persists.
  private func failure(_ reason: String) -> ScanLife.End {
    state.withLock { $0.isHalted } ? .halted : .failed(reason)
  }

  private func report(_ event: ScanEvent) {
    switch event {
    case .network, .quota: told.yield(event)
    default: break
    }
  }

  private func encoder(of columns: [Field]) -> RecordEncoder {
    RecordEncoder(
      format: .sqlite,
      fields: columns,
      inputs: [job.name],
      sources: Provider.sourceNames,
      added: services.sources
    )
  }

  /// The columns of the table; an existing table keeps its own, even if the sources have changed.
  private var columns: [Field] {
    let begun = Journal.isBegun(path: job.folder.journal) ? job.folder.records : nil
    let table = begun.flatMap { try? ScanTableReader($0) }
    let added = table?.added ?? services.sources.flatMap(\.columns)
    return RecordColumns.all + added.map(Field.added)
  }
}

// MARK: - Scanning

extension ScanExecution {
  private func scan() async throws -> Outcome {
    let input = Input.file(job.folder.input)
    var opened = InputSet(opening: [input], captures: .recognized)
    opened.longestUnpacked = job.longestUnpacked
    if let failure = opened.failures.first { throw failure }
    var rules = EntryRules()
    (rules.mode, rules.isJournalled) = (job.mode, true)
    let files = DatabaseFiles(inJournal: job.folder.journal)
    let providers: RunProviders
    do {
      let purpose: DashboardServices.Purpose = files.areChosen ? .resumption(files) : .scan
      providers = try services.providers(purpose, job.provider) { self.report($0) }
    } catch {
      guard files.areMissing else { throw error }
      return Outcome(end: failure(ScanLife.missingDatabases))
    }
    let databases = providers.databaseFiles
    guard files.are(databases) else { return Outcome(end: failure(ScanLife.missingDatabases)) }
    if job.mode == .log, providers.chain.readsClaims {
      var sightings = Sightings.Rules()
      sightings.claims = { Crawler.claims(in: $0) }
      rules.sightings = Sightings(sightings)
    }
    let reader = try EntryReader(inputs: opened, rules: rules)
    providers.chain.join(services.turns, of: job.user, .scans)
    let columns = columns
    let (journal, sink) = try await open(input, columns, databases)
    var scanRules = Scan.Rules()
    scanRules.batches = services.batches
    let scan = Scan(
      reader: reader,
      chain: providers.chain,
      outputs: Outputs(main: Outputs.Place(encoder: encoder(of: columns), sink: sink)),
      rules: scanRules,
      journal: journal
    ) { self.report($0) }
    let counters = counters(of: providers)
    journal.count(counters)
    begin(
      Running(scan: scan, chain: providers.chain) {
        var all = journal.earlier
        all += counters()
        return all
      }
    )
    let outcome = await providers.chain.watchingNetwork { await scan.run() }
    return finish(outcome)
  }

  /// Opens the existing table, or creates one.
  private func open(
    _ input: Input,
    _ columns: [Field],
    _ databases: String
  ) async throws -> (Journal, any RecordSink) {
    let description = description(of: input, columns, databases)
    let folder = job.folder
    guard !Journal.isBegun(path: folder.journal) else {
      let main = OutputPaths.Place(folder.records, columns: columns)
      let outputs = OutputPaths(main: main, waiting: lockedTable)
      return try await opening.run {
        let resumed = try Journal.resume(
          path: folder.journal,
          job: description,
          inputs: [input],
          outputs: outputs
        )
        return (resumed.journal, resumed.sinks.main)
      }
    }
    // Records from before there was a journal.
    folder.removeRecords()
    let sink = try RecordDatabaseSink(path: folder.records, columns: columns, waiting: lockedTable)
    let journal = try Journal.begin(path: folder.journal, job: description)
    try await sink.empty()
    return (journal, sink)
  }

  /// The properties that must be unchanged for a resumption.
  private func description(of input: Input, _ columns: [Field], _ databases: String) -> ScanJob {
    let options = [
      ScanJob.Option("as", job.mode.name), ScanJob.Option("provider", job.provider ?? ""),
      ScanJob.Option("fields", columns.map(\.name).joined(separator: ",")),
      ScanJob.Option("database", databases),
    ]
    return ScanJob(options: options, inputs: [input])
  }

  private func counters(of providers: RunProviders) -> @Sendable () -> RunCounters {
    let start = ContinuousClock.now
    let (budget, chain) = (providers.budget, providers.chain)
    return { RunCounters(since: start, budget, chain.networkStatus) }
  }

  /// Makes the run visible, and halts it if a halt was requested before.
  private func begin(_ running: Running) {
    let (isHalted, isFinal) = state.withLock { state in
      state.running = running
      return (state.isHalted, state.isFinal)
    }
    if isHalted { running.scan.stop(isFinal: isFinal) }
  }

  private func finish(_ outcome: ScanOutcome) -> Outcome {
    let running = state.withLock { $0.running }
    return Outcome(
      end: end(of: outcome),
      tally: outcome.tally,
      counters: running?.counters() ?? RunCounters(),
      records: outcome.tally.records - (running?.scan.progress.earlier ?? 0)
    )
  }

  private func end(of outcome: ScanOutcome) -> ScanLife.End {
    if let error = outcome.outputError { return end(by: error) }
    if outcome.isInterrupted { return .halted }
    return outcome.inputErrors.first.map { .failed("the input: \($0.reason)") } ?? .complete
  }
}

// MARK: - Retrying

extension ScanExecution {
  private func askAgain() async throws -> Outcome {
    let list = try services.list(job.provider)
    let (records, sources, waiting) = (job.folder.records, services.sources, lockedTable)
    let (table, file) = try await opening.run {
      let table = try OpenedTable(
        path: records,
        fallbacks: list.fallbacks,
        filling: RowFilling(sources, claims: { Crawler.claims(in: $0) }),
        waiting: waiting
      )
      let file = try table.hold()
      try table.addColumns(in: records)
      return (table, file)
    }
    let providers = try services.providers(.upgrade, job.provider) { self.report($0) }
    providers.chain.join(services.turns, of: job.user, .scans)
    let upgrade = Upgrade(
      of: table,
      encoder: encoder(of: RecordColumns.all),
      in: file,
      chain: providers.chain,
      batches: services.batches
    ) { self.report($0) }
    begin(Running(scan: upgrade.scan, chain: providers.chain, counters: counters(of: providers)))
    let outcome = await providers.chain.watchingNetwork { await upgrade.run() }
    var ended = finish(outcome)
    ended.tally = nil
    return ended
  }
}

/// Opens a scan's files on a separate thread, because reading them blocks, and so does another
/// program that has locked the table.
private actor Opening {
  private let executor = BlockingExecutor(label: "sonde.opening")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func run<Opened: Sendable>(_ body: @Sendable () throws -> Opened) throws -> Opened { try body() }
}

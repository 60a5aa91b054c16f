import SondeSetup
import SondeAsking
import SondeDatabases
import SondeInputs
import SondeLogs
import SondeOptions
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeReport
import SondeScanner
import SondeStore

/// `sonde plan`: estimates the requests of a scan without sending any.
enum PlanCommand {
  /// The plan and the estimate of each provider.
  private typealias Findings = (plan: Plan, needs: [ProviderEstimate])

  static func run(_ context: Context) async throws -> ExitStatus {
    let setup = ProviderSetup(context)
    let options = context.options
    let inputs = try InputSetup(context).inputs()
    try OutputChecks.check(context, against: inputs)
    let kept = context.asksNobody ? .init() : try await StoreSetup(context).existing()
    let estimates = try options.providers.map {
      try setup.estimate(for: $0, maximum: options.maxRequests, ledger: kept.ledger)
    }
    let databases = options.providers.first == .local ? try DatabaseSetup(context).databases() : nil
    let names = inputs.map(\.name)
    var rules = try InputSetup(context).entryRules(named: names)
    // A repeated address causes only one request.
    rules.keepsDuplicates = false
    let opened = try InputSet(readable: inputs, captures: InputSetup(context).captures)
    let reader = try EntryReader(inputs: opened, rules: rules)
    let caches = try options.providers.map { provider in
      try setup.api(of: provider).flatMap { setup.cache(of: $0, in: kept.answers) }
    }
    let sources = try context.sourcePlans(kept)
    let filter = try context.filter(named: names, sightings: rules.sightings)
    let outages = Task { await firstOutage(of: kept.ledger) }
    let (found, signal) = await Signals.cancelling { [console = context.console] in
      var needs: [ProviderEstimate] = []
      for estimate in estimates { needs.append(await estimate.withRest()) }
      guard kept.ledger?.outage == nil else { return Findings?.none }
      let plan = await Plan(reading: reader, caches, adding: sources, filter: filter) {
        console.error($0.explained())
      }
      return (plan, needs)
    }
    await kept.answers?.close()
    // A local ledger was only read and needs no closing.
    if options.shared != nil { await kept.ledger?.close() }
    // Without the shared ledger there is no plan; a scan would wait for it.
    if let outage = await outages.value, signal == nil {
      context.console.error(outage.words)
      return .inputOutput
    }
    guard let (plan, needs) = found else { return signal ?? .inputOutput }
    let reporter = Reporter(console: context.console)
    let status = reporter.status(of: plan, signal: signal)
    guard !plan.isInterrupted else { return status }
    for words in setup.cautions { context.console.note(words) }
    if plan.tally.ok > 0 { reporter.sayAge(of: databases?.builds ?? []) }
    let text = plan.text(needs, isFiltered: filter != nil)
    return .highest(of: [await StandardOutput.write(text), status])
  }

  /// The first outage of the shared ledger before it is closed.
  private static func firstOutage(of ledger: (any QuotaLedger)?) async -> LedgerOutage? {
    guard let ledger else { return nil }
    for await outage in ledger.outages() { if let outage { return outage } }
    return nil
  }
}

extension Reporter {
  /// The exit status of a finished or interrupted plan.
  fileprivate func status(of plan: Plan, signal: ExitStatus?) -> ExitStatus {
    var outcome = ScanOutcome()
    outcome.inputErrors = plan.inputErrors
    outcome.isInterrupted = plan.isInterrupted
    outcome.note(end: signal)
    return status(of: outcome, signal: signal)
  }
}

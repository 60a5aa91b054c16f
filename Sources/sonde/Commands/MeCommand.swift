import SondeSetup
import SondeAsking
import SondeInputs
import SondeOptions
import SondeOutputs
import SondeProviders
import SondeReport

/// `sonde me`: looks up this machine's public address.
enum MeCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let base = try context.mirror(context.options.ipifyURL, setBy: "ipify-url")
    let reporter = Reporter(console: context.console, of: RunReport.Job(isLookup: true))
    // Before any request.
    try OutputChecks.check(context, against: [])
    let kept = context.asksNobody ? .init() : try await StoreSetup(context).kept()
    let question = try ConnectionSetup(context).publicAddress(
      from: IPify(base: base),
      ProviderSetup(context).askingRules
    ) { reporter.report($0) }
    let events = try OutputSetup(context).events(appends: false)
    try events?.empty()
    reporter.record(to: events)
    let start = ContinuousClock.now
    let (answer, signal) = await Signals.cancelling(
      watchesOutput: context.options.writesToStandardOutput
    ) { try? await question.find() }
    let spent = RunCounters(since: start, question.budget, question.networkStatus)
    guard signal == nil, let answer else {
      var outcome = ScanOutcome()
      outcome.isInterrupted = true
      outcome.note(end: signal)
      return reporter.finish(outcome, spent: spent, signal: signal ?? .interrupted)
    }
    let (status, reason): (ExitStatus, String)
    switch answer {
    case .found(let address):
      return try await Enrichment(
        context,
        inputs: [.literal("\(address)")],
        after: Enrichment.Prelude(reporter: reporter, counters: spent, kept: kept)
      ).run()
    case .failed(let words): (status, reason) = (.failed, words)
    case .refused(let words): (status, reason) = (.refused, words)
    case .networkLost(let words): (status, reason) = (.networkLost, words)
    }
    context.console.error("\(IPify.name): \(reason)")
    return .highest(of: [status, reporter.finish(ScanOutcome(), spent: spent, signal: nil)])
  }
}

import Providers
import Scanner
import Transfer

/// `sonde me`: this machine's public address, then what is known of it.
enum MeCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let base = context.options.ipifyURL.map { BaseURL($0) }
    if let base, try base.endpoint == nil {
      throw context.usageError("'\(base.text)' is not an http:// or https:// URL")
    }
    let reporter = Reporter(console: context.console)
    // Before anybody is asked.
    try context.checkOutputs(against: [])
    let question = try question(to: IPify(base: base), context, reporter)
    let events = try context.events(appends: false)
    try events?.empty()
    reporter.record(to: events)
    let start = ContinuousClock.now
    let watchesOutput = context.writesToStandardOutput
    let (outcome, signal) = await Signals.cancelling(watchesOutput: watchesOutput) {
      try? await question.find()
    }
    let spent = RunCounters(of: question.budget, on: question.networkStatus, since: start)
    guard signal == nil, let outcome else {
      var report = Self.report(of: spent)
      report.outcome.isInterrupted = true
      report.outcome.note(end: signal)
      return reporter.finish(report, signal: signal ?? .interrupted)
    }
    let (status, reason): (ExitStatus, String)
    switch outcome {
    case .found(let address):
      let inputs = [Input.literal("\(address)")]
      return try await Enrichment(
        context,
        inputs: inputs,
        cards: true,
        after: (reporter, spent)
      ).run()
    case .failed(let words): (status, reason) = (.failed, words)
    case .refused(let words): (status, reason) = (.refused, words)
    case .networkLost(let words): (status, reason) = (.networkLost, words)
    }
    context.console.error("\(IPify.name): \(reason)")
    return .highest(of: [status, reporter.finish(report(of: spent), signal: nil)])
  }

  private static func question(
    to service: IPify,
    _ context: Context,
    _ reporter: Reporter
  ) throws -> PublicAddress {
    PublicAddress(
      from: service,
      client: try HTTPClient(configuration: context.clientConfiguration()),
      rules: context.askingRules,
      path: try context.path(to: service.base, withSecret: false)
    ) { reporter.report($0) }
  }

  /// The report of a run that ends before anything is looked up.
  private static func report(of counters: RunCounters) -> RunReport {
    var report = RunReport(of: RunReport.Job(isLookup: true))
    report.counters = counters
    return report
  }
}

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
    let (outcome, signal) = await Signals.cancelling { try? await question.find() }
    if let signal { return signal }
    switch outcome {
    case .found(let address):
      let inputs = [Input.literal("\(address)")]
      return try await Enrichment(context, inputs: inputs, cards: true, reporter: reporter).run()
    case .failed(let reason): return end(.failed, reason, context, reporter)
    case .refused(let reason): return end(.refused, reason, context, reporter)
    case .networkLost(let reason): return end(.networkLost, reason, context, reporter)
    case nil: return end(.interrupted, "interrupted", context, reporter)
    }
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

  /// Says why there is no address, and ends the events.
  private static func end(
    _ status: ExitStatus,
    _ reason: String,
    _ context: Context,
    _ reporter: Reporter
  ) -> ExitStatus {
    context.console.error("\(IPify.name): \(reason)")
    let report = RunReport(of: RunReport.Job(isLookup: true))
    return .highest(of: [status, reporter.finish(report, signal: nil)])
  }
}

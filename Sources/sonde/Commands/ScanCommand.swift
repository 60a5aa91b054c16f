import Records
import Scanner

/// `sonde scan`: every address of the inputs, one record each.
enum ScanCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try context.inputs()
    return try await Enrichment(context, inputs: inputs, cards: false).run()
  }
}

/// `sonde lookup`: the same for a few addresses, laid out for a person.
enum LookupCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = context.operands.map { $0 == "-" ? Input.standardInput : .literal($0) }
    return try await Enrichment(context, inputs: inputs, cards: true).run()
  }
}

/// `sonde check`: what a scan would make of the inputs, without any network.
enum CheckCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try context.inputs()
    try context.checkOutputs(against: inputs)
    let reader = try EntryReader(inputs: context.opened(inputs), rules: context.entryRules)
    let outputs = try await context.outputs(named: inputs.map(\.name))
    let reporter = Reporter(console: context.console)
    let scan = Scan(reader: reader, chain: nil, outputs: outputs, rules: Scan.Rules()) {
      reporter.report($0)
    }
    var job = RunReport.Job()
    job.countsInvalid = true
    job.isLog = context.options.log
    reporter.follow(scan, of: job)
    let watchesOutput = context.writesToStandardOutput
    var (outcome, signal) = await Signals.cancelling(watchesOutput: watchesOutput) {
      await ProgressDisplay.showing(of: inputs, on: context.console) {
        reporter.progress(reader.progress, allowance: nil)
      } while: {
        await scan.run()
      }
    }
    outcome.note(end: signal)
    var report = reporter.current
    report.outcome = outcome
    report.counters.elapsed = UInt64(clamping: (.now - report.start).milliseconds)
    return reporter.finish(report, signal: signal)
  }
}

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
    let outputs = try await context.outputs(for: inputs)
    let console = context.console
    let scan = Scan(reader: reader, chain: nil, outputs: outputs, rules: Scan.Rules()) { event in
      if case .inputFailure(let failure) = event {
        console.error(failure.explained)
      }
    }
    let start = ContinuousClock.now
    let (outcome, signal) = await Signals.cancelling {
      await ProgressDisplay.showing(of: scan, reader: reader, chain: nil, on: console) {
        await scan.run()
      }
    }
    var counters = RunCounters()
    counters.elapsed = UInt64((.now - start).milliseconds)
    var report = RunReport(outcome: outcome, counters: counters, countsInvalid: true)
    report.isLog = context.options.log
    report.say(on: console)
    return report.status(signal: signal, console: console)
  }
}

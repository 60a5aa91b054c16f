import SondeSetup
import SondeInputs
import SondeLogs
import SondeOptions
import SondeOutputs
import SondeReport

/// `sonde extract`: prints every address found in free text, one per line.
enum ExtractCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try InputSetup(context).files()
    try InputSetup(context).checkRange(of: inputs)
    try OutputChecks.check(context, against: inputs)
    let opened = try InputSet(
      readable: inputs,
      captures: InputSetup(context).captures,
      range: context.options.range
    )
    let output = try await OutputSetup(context).outputs(named: []).main
    var rules = rules(context.options, inputs: inputs.count)
    rules.anonymizer = context.anonymizer
    rules.refangs = context.options.refang
    (rules.pick, rules.pickFindings) = (context.options.pick, context.pickFindings)
    let extraction = try Extraction(
      inputs: opened,
      rules: rules,
      sink: output.sink,
      packing: output.packing
    )
    let console = context.console
    let watchesOutput = context.options.writesToStandardOutput
    var (outcome, signal) = await Signals.cancelling(watchesOutput: watchesOutput) {
      await extraction.run { console.error($0.words) }
    }
    outcome.note(end: signal)
    let status = Reporter(console: console).status(of: outcome, signal: signal)
    return .highest(of: [status, InputSetup(context).pickStatus])
  }

  private static func rules(_ options: Options, inputs: Int) -> ExtractionRules {
    var rules = ExtractionRules()
    rules.isUnique = options.unique
    rules.counts = options.count
    // With several inputs, counts need the name of their file.
    rules.namesInputs = options.withFilename || options.count && inputs > 1
    rules.omitsIPv4 = options.ipv6 && !options.ipv4
    rules.omitsIPv6 = options.ipv4 && !options.ipv6
    rules.omitsReserved = options.noReserved
    return rules
  }
}

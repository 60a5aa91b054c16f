import Glibc
import Scanner

/// `sonde extract`: every occurrence of an address in free text, one a line.
enum ExtractCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try fileInputs(context)
    try OutputChecks.check(context, against: inputs)
    let opened = try InputSet(readable: inputs)
    let output = try await OutputSetup(context).outputs(named: []).main
    let rules = rules(context.options, inputs: inputs.count)
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
    return Reporter(console: console).status(of: outcome, signal: signal)
  }

  /// Operands are files here, whatever they look like.
  private static func fileInputs(_ context: Context) throws(UsageError) -> [Input] {
    if context.operands.isEmpty, isatty(STDIN_FILENO) != 0 {
      throw context.usageError("no input: give a file or -, or pipe text in")
    }
    guard !context.operands.isEmpty else { return [.standardInput] }
    return context.operands.map { $0 == "-" ? .standardInput : .file($0) }
  }

  private static func rules(_ options: Options, inputs: Int) -> ExtractionRules {
    var rules = ExtractionRules()
    rules.isUnique = options.unique
    rules.counts = options.count
    // Numbers alone would not say what of several files they belong to.
    rules.namesInputs = options.withFilename || options.count && inputs > 1
    rules.omitsIPv4 = options.ipv6 && !options.ipv4
    rules.omitsIPv6 = options.ipv4 && !options.ipv6
    rules.omitsReserved = options.noReserved
    return rules
  }
}

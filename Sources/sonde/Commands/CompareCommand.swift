import SondeSetup
import SondeAsking
import SondeCatalog
import SondeCompare
import SondeCounting
import SondeInputs
import SondeLists
import SondeLogs
import SondeOptions
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeReport
import SondeScanner
import SondeSources
import SondeSummary

/// `sonde compare`: asks several sources about every address, and weighs what they say.
struct CompareCommand {
  private let context: Context
  private let comparison: Comparison
  private let inputs: [Input]

  static func run(_ context: Context) async throws -> ExitStatus {
    let comparison = try comparison(of: context)
    var context = context
    context.comparison = comparison
    context.added = [AwaitedColumns(columns: comparison.columns)]
    let inputs = try InputSetup(context).inputs()
    let command = CompareCommand(context: context, comparison: comparison, inputs: inputs)
    guard context.options.summary else {
      return try await Enrichment(context, inputs: inputs).run()
    }
    return try await command.summarize()
  }

  /// The sources that the options name, with the true places.
  private static func comparison(of context: Context) throws(UsageError) -> Comparison {
    let options = context.options
    let sources = ComparedSource.named(
      providers: options.providers.map(\.name),
      local: Provider.local.name,
      databases: options.databases,
      hasTruth: options.truth != nil
    )
    guard sources.count > 1 else {
      throw context.usageError(
        "compare needs two sources or more: name them by --provider, or give --provider local several "
          + "databases by --database"
      )
    }
    do {
      return Comparison(sources, truth: try options.truth.map(truth))
    } catch {
      var misuse = context.valueError("truth", ": \(error)")
      misuse.isAboutSetup = true
      throw misuse
    }
  }

  private static func truth(_ file: NamedSource) throws -> Truth {
    guard let table = try file.open(from: nil).columns as? any ImmediateSource else {
      throw TableFileError(path: file.path, line: nil, reason: "a web service knows no true places")
    }
    do throws(Truth.Problem) {
      return try Truth(table)
    } catch {
      throw TableFileError(path: file.path, line: nil, reason: "\(error)")
    }
  }

  /// Writes the tables of `--summary`, after an interruption those of the records so far.
  private func summarize() async throws -> ExitStatus {
    let format = try self.format
    let reporter = Reporter(console: context.console)
    try InputSetup(context).checkRange(of: inputs)
    try InputSetup(context).checkPick()
    try OutputChecks.check(context, against: inputs)
    let providers = try await ProviderSetup(context).providers { reporter.report($0) }
    let opened = try InputSet(
      readable: inputs,
      captures: InputSetup(context).captures,
      range: context.options.range
    )
    let (outputs, enrichment) = (OutputSetup(context), Enrichment(context, inputs: inputs))
    let file = try SummaryFile(context.options.output ?? "-", outputs)
    do {
      let events = try outputs.events(appends: false)
      try events?.empty()
      reporter.record(to: events)
      let names = inputs.map(\.name)
      let counting = ComparisonScan(
        reader: try EntryReader(
          inputs: opened,
          rules: InputSetup(context).entryRules(named: names),
          revealing: nil
        ),
        comparison: comparison,
        chain: providers.chain,
        rules: try enrichment.scanRules(named: names),
        main: file.place
      ) { reporter.report($0) }
      return await enrichment.run(counting.scan, asking: providers, reporter) {
        var outcome = await counting.scan.run()
        if outcome.outputError == nil {
          await file.write(bytes(of: counting.counts, as: format), &outcome)
        } else {
          file.leave(&outcome)
        }
        return outcome
      }
    } catch {
      file.discard()
      throw error
    }
  }

  /// The format of the tables, which fewer formats have than records.
  private var format: SummaryFormat {
    get throws(UsageError) {
      guard let format = context.options.format else { return try SummarySetup.format(context) }
      guard let known = SummaryFormat(rawValue: format.name) else {
        throw context.valueError("format", " \(format.name) is not for --summary")
      }
      return known
    }
  }

  private func bytes(of counts: ComparisonCounts, as format: SummaryFormat) -> [UInt8] {
    var encoding = RowEncoding(
      ComparisonCounts.columns,
      as: format,
      isForSpreadsheets: context.options.spreadsheet,
      SummarySetup.rowStyle(context)
    )
    return encoding.output(of: counts.tables(of: comparison.sources))
  }
}

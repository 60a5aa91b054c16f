import SondeSetup
import SondeAsking
import SondeCounting
import SondeDatabases
import SondeInputs
import SondeOptions
import SondeOutputs
import SondePage
import SondeReport
import SondeScanner
import SondeSummary
import SondeSystem

/// `sonde summary`: counts records or log lines and shows tables of them.
struct SummaryCommand {
  private let context: Context
  private let setup: SummarySetup
  private let inputs: [Input]
  private let startedAt = Timestamp.now.seconds

  static func run(_ context: Context) async throws -> ExitStatus {
    try await SummaryCommand(
      context: context,
      setup: SummarySetup(context),
      inputs: InputSetup(context).files()
    ).run()
  }

  private func run() async throws -> ExitStatus {
    let reporter = Reporter(console: context.console)
    let losses = LossLog()
    let report: EventHandler = { event in
      losses.hear(event)
      reporter.report(event)
    }
    try OutputChecks.check(context, against: inputs)
    let providers = try await ProviderSetup(context).providers(report: report)
    let opened = try InputSet(
      readable: inputs,
      captures: InputSetup(context).captures,
      hasDatabases: !setup.rules.isLog,
      areFiles: true
    )
    let outputs = OutputSetup(context)
    let tables = try SummaryFile(context.options.output ?? "-", outputs)
    var page: SummaryFile?
    do {
      page = try context.options.html.map { path in try SummaryFile(path, outputs) }
      let events = try outputs.events(appends: false)
      try events?.empty()
      reporter.record(to: events)
      var rules = setup.rules
      rules.inputs = inputs.map(\.name)
      rules.filter = try context.filter(named: inputs.map(\.name), sightings: nil)
      let summary = try SummaryScan(
        inputs: opened,
        rules: rules,
        chain: providers.chain,
        batches: 2 * context.options.concurrency,
        main: tables.place,
        report: report
      )
      return await Enrichment(context, inputs: inputs).run(
        summary.scan,
        asking: providers,
        reporter
      ) { [page] in
        var outcome = await summary.scan.run()
        let counts = summary.counts(balancing: &outcome)
        for error in outcome.inputErrors where error.isMisuse { context.console.error(error.words) }
        guard outcome.outputError == nil, !outcome.isMisused else {
          for file in [page, tables] { file?.leave(&outcome) }
          return outcome
        }
        let made = self.report(of: counts, outcome, providers, losses)
        context.tell(summary.leftOut, hasCounted: made.totals.hits > 0)
        // Before the tables, whose reader may have closed the pipe.
        if let page { await page.write(SondePage.page(of: made), &outcome) }
        await tables.write(bytes(of: made), &outcome)
        return outcome
      }
    } catch {
      for file in [page, tables] { file?.discard() }
      throw error
    }
  }

  /// The report; after an interruption, of the hits so far.
  private func report(
    of counts: SummaryCounts,
    _ outcome: ScanOutcome,
    _ providers: RunProviders,
    _ losses: LossLog
  ) -> SummaryReport {
    var report = SummaryReport(title: setup.title(of: inputs), madeAt: Timestamp.now.seconds)
    report.startedAt = startedAt
    report.named = Set(setup.selection.kinds ?? [])
    report.isPartial = outcome.isInterrupted
    report.take(counts, setup.reportRules(inputs))
    report.losses = losses.losses
    report.credits = DataCredits.credits(for: report, providers.databases?.answered ?? [])
    return report
  }

  private func bytes(of report: SummaryReport) -> [UInt8] {
    let selection = setup.selection
    // Only the page is requested.
    if selection.kinds?.isEmpty ?? false, report.combinations.isEmpty { return [] }
    guard setup.format == .table else {
      return report.data(as: setup.format, selection, spreadsheet: context.options.spreadsheet)
    }
    return Array(report.text(selection, SummarySetup.style(context)).utf8)
  }
}

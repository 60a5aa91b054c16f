import Page
import Records
import Scanner
import Summary

/// `sonde summary`: who was in records or logs, as tables.
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
    let providers = try ProviderSetup(context).providers(report: report)
    try OutputChecks.check(context, against: inputs)
    let opened = try InputSet(
      readable: inputs,
      captures: InputSetup(context).captures,
      hasDatabases: !setup.rules.isLog
    )
    let outputs = OutputSetup(context)
    let tables = try SummaryFile(context.options.output ?? "-", outputs)
    var page: SummaryFile?
    do {
      page = try context.options.html.map { path in try SummaryFile(path, outputs) }
      let events = try outputs.events(appends: false)
      try events?.empty()
      reporter.record(to: events)
      let summary = try SummaryScan(
        inputs: opened,
        rules: setup.rules,
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
        let counts = summary.counts
        outcome.countedRecords = counts.records
        tell(leftOut: summary.leftOut)
        guard outcome.outputError == nil else {
          for file in [page, tables] { file?.leave(&outcome) }
          return outcome
        }
        let made = self.report(of: counts, outcome, providers, losses)
        // Before the tables, whose reader may have gone.
        if let page { await page.write(Page.page(of: made), &outcome) }
        await tables.write(bytes(of: made), &outcome)
        return outcome
      }
    } catch {
      for file in [page, tables] { file?.discard() }
      throw error
    }
  }

  private func tell(leftOut: (records: Int, hits: Int)) {
    let reason = "for --since and --until"
    if leftOut.records > 0 {
      let records = count(leftOut.records, "record", "records")
      context.console.note("\(records) left out: only logs have times, \(reason)")
    }
    if leftOut.hits > 0 {
      let hits = count(leftOut.hits, "hit", "hits")
      context.console.note("\(hits) left out: their lines have no time, \(reason)")
    }
  }

  /// The report, also of what an interruption has left.
  private func report(
    of counts: SummaryCounts,
    _ outcome: ScanOutcome,
    _ providers: RunProviders,
    _ losses: LossLog
  ) -> SummaryReport {
    var report = SummaryReport(title: setup.title(of: inputs), madeAt: Timestamp.now.seconds)
    report.startedAt = startedAt
    report.isPartial = outcome.isInterrupted
    report.take(counts, setup.reportRules)
    report.losses = losses.losses
    report.credits = DataCredits.credits(for: report, providers.databases)
    return report
  }

  private func bytes(of report: SummaryReport) -> [UInt8] {
    let selection = setup.selection
    // Only the page is wanted.
    if selection.kinds?.isEmpty ?? false { return [] }
    guard setup.format == .table else {
      return report.data(as: setup.format, selection, spreadsheet: context.options.spreadsheet)
    }
    return Array(report.text(selection, setup.style).utf8)
  }
}

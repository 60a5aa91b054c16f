import Glibc
import SondeSetup
import SondeAlerts
import SondeOptions
import SondeOutputs
import SondePage
import SondeReport
import SondeRecords
import SondeSummary
import SondeSystem

/// `sonde outages`: shows what `watch` and `serve` have kept of the network.
struct OutagesCommand {
  private let context: Context
  private let format: SummaryFormat
  private let zone: TimeZoneRules

  static func run(_ context: Context) async throws -> ExitStatus {
    let command = OutagesCommand(
      context: context,
      format: try SummarySetup.format(context),
      zone: try SummarySetup.zone(context)
    )
    try SummarySetup.check(context)
    // Before anything is read.
    _ = try command.span(of: [])
    try OutputChecks.check(context, against: [])
    return try await command.run()
  }

  private func run() async throws -> ExitStatus {
    let outputs = OutputSetup(context)
    let text = try SummaryFile(context.options.output ?? "-", outputs)
    var page: SummaryFile?
    do {
      page = try context.options.html.map { path in try SummaryFile(path, outputs) }
      let runs = await kept()
      let report = OutageReport(
        runs,
        in: try span(of: runs),
        zone: zone,
        endpoint: context.options.watchedEndpoint
      )
      tell(runs, report)
      var outcome = ScanOutcome()
      let title = context.options.title
      // Before the text, whose reader may have closed the pipe.
      if let page { await page.write(SondePage.page(of: report, title: title), &outcome) }
      await text.write(bytes(of: report), &outcome)
      guard let error = outcome.outputError, !error.isClosedPipe else { return .success }
      context.console.error("\(error)")
      return .inputOutput
    } catch {
      for file in [page, text] { file?.discard() }
      throw error
    }
  }

  /// What was kept; nothing without a file, and none is created.
  private func kept() async -> [WatchedRun] {
    guard let folder = UserFolders(environment: context.environment).state,
      FileStatus(path: OutageHistory.file(in: folder)) != nil
    else { return [] }
    let history = OutageHistory(folder: folder, warn: context.console.error)
    let runs = await history.runs(after: .min)
    await history.close()
    return runs ?? []
  }

  /// The time asked for, in milliseconds since 1970 UTC.
  ///
  /// - Throws: ``UsageError`` if it ends before it begins.
  private func span(of runs: [WatchedRun]) throws(UsageError) -> Range<Int64> {
    let now = Timestamp.now.milliseconds
    let span = OutageReport.span(
      since: context.options.since?.milliseconds(in: zone, now: now),
      until: context.options.until?.milliseconds(in: zone, now: now),
      now: now,
      of: runs
    )
    guard let span else { throw SummarySetup.backwards(context, "no outage could be shown") }
    return span
  }

  private func tell(_ runs: [WatchedRun], _ report: OutageReport) {
    guard report.summaries.isEmpty else { return }
    guard let endpoint = context.options.watchedEndpoint, !runs.isEmpty else {
      return context.console.note(
        "nothing is kept yet: 'sonde watch' and 'sonde serve' keep what they see of the network"
      )
    }
    let known = Set(runs.map(\.endpoint)).sorted().map(quoted)
    context.console.note("nothing is kept of \(quoted(endpoint)), but of \(alternatives(known))")
  }

  private func bytes(of report: OutageReport) -> [UInt8] {
    guard format == .table else { return report.data(as: format) }
    var style = SummarySetup.style(context)
    // There are no bars that need a width of their own.
    if context.options.output != nil || !context.writesToTerminal { style.width = .max }
    return Array(report.text(style, title: context.options.title).utf8)
  }
}

import SondeSetup
import SondeDiff
import SondeInputs
import SondeOptions
import SondeOutputs
import SondeRecords
import SondeReport
import SondeSummary
import SondeSystem

/// `sonde diff`: compares two files of records.
struct DiffCommand {
  private let context: Context
  private let inputs: [Input]
  private let format: SummaryFormat

  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try InputSetup(context).files()
    guard inputs != [.standardInput, .standardInput] else {
      throw context.usageError("diff reads stdin once: name a file for OLD or NEW")
    }
    let command = try DiffCommand(
      context: context,
      inputs: inputs,
      format: SummarySetup.format(
        context,
        usual: context.options.output == nil && context.writesToTerminal ? .table : .ndjson
      )
    )
    try OutputChecks.check(context, against: inputs)
    let file = try SummaryFile(context.options.output ?? "-", OutputSetup(context))
    let (result, signal) = await Signals.cancelling { await command.run(file) }
    if let signal {
      file.discard()
      return signal
    }
    return try result.get()
  }

  private func run(_ file: SummaryFile) async -> Result<ExitStatus, UsageError> {
    let diff = RecordDiff(fields: context.options.comparedFields)
    var outcome = ScanOutcome()
    do {
      let missing = try await diff.read(inputs[0], inputs[1])
      if let name = missing.first {
        file.discard()
        return .failure(context.valueError("fields", ": neither file has a field \(quoted(name))"))
      }
      try await write(diff, to: file)
      await file.write([], &outcome)
    } catch let error as OutputError {
      outcome.outputError = error
      file.leave(&outcome)
    } catch let error as InputError {
      file.discard()
      context.console.error(error.explained(isFile: true))
      return .success(.inputOutput)
    } catch {
      // Cancelled.
      return .success(.inputOutput)
    }
    if let error = outcome.outputError {
      guard !error.isClosedPipe else { return .success(.success) }
      context.console.error("\(error)")
      return .success(.inputOutput)
    }
    let counts = await diff.counts
    tell(counts)
    return .success(counts.isDifferent ? .failed : .success)
  }

  private func write(_ diff: RecordDiff, to file: SummaryFile) async throws {
    let isSummary = context.options.summary
    var encoding = RowEncoding(
      isSummary ? DiffCounts.columns : RecordChange.columns,
      as: format,
      isForSpreadsheets: context.options.spreadsheet,
      SummarySetup.rowStyle(context)
    )
    var bytes = encoding.header
    while true {
      let changes = try await diff.next()
      if changes.isEmpty { break }
      if isSummary { continue }
      for change in changes { encoding.append(change.row, to: &bytes) }
      try await file.place.write(bytes)
      bytes = []
    }
    if isSummary { for row in await diff.counts.rows { encoding.append(row, to: &bytes) } }
    try await file.place.write(bytes + encoding.footer)
  }

  private func tell(_ counts: DiffCounts) {
    let words = RecordChange.Kind.allCases.map { "\(grouped(counts[$0])) \($0.rawValue)" }
    context.console.note(words.joined(separator: ", "))
  }
}

package import SondeDatabases
package import SondeInputs
import SondeOptions
package import SondeOutputs
import SondePrivacy
import SondeProviders
import SondeRecords
import SondeReport
import SondeSources
import SondeSystem

/// How a scan with an output file starts.
package enum ScanBeginning {
  /// Without a journal: nothing is asked, the output is no file, or an input cannot be reread.
  case plain
  /// From the start, with a journal at this path.
  case anew(String)
  /// Where an earlier run stopped, with the input names of that run.
  case resumed(Journal, OutputSinks, names: [String])
  /// Not at all: the file is complete.
  case finished(String)

  package var journal: Journal? {
    if case .resumed(let journal, _, _) = self { journal } else { nil }
  }

  /// The files to append to, if it is resumed.
  package var sinks: OutputSinks? {
    if case .resumed(_, let sinks, _) = self { sinks } else { nil }
  }

  /// The names of the inputs in earlier records.
  package var inputNames: [String]? {
    if case .resumed(_, _, let names) = self { names } else { nil }
  }
}

/// Decides whether a scan is resumed or starts anew.
package struct ResumeSetup {
  private let context: Context
  private let outputs: OutputSetup
  private let databases: LocalDatabases?

  private var options: Options { context.options }

  /// `databases` are those of the run, by whose networks items may be divided.
  package init(_ context: Context, databases: LocalDatabases?) {
    (self.context, self.databases) = (context, databases)
    outputs = OutputSetup(context)
  }

  /// Decides how a scan starts, from `--resume`, the output file and its journal.
  ///
  /// - Throws: ``UsageError`` if it must not start, ``OutputError`` without space to resume.
  package func beginning(of inputs: [Input]) throws -> ScanBeginning {
    guard ![.check, .compare].contains(context.command) else { return .plain }
    guard let output = options.output else {
      guard !options.resume else { throw context.valueError("resume", " needs --output FILE") }
      return .plain
    }
    guard isFile(output) else { return .plain }
    let path = Journal.path(of: output)
    let hasJournal = Journal.isBegun(path: path)
    if let input = inputs.first(where: { !$0.canBeReadAgain }) {
      let name = input == .standardInput ? "stdin" : input.name
      if options.resume { throw context.usageError("\(name) cannot be read again, so not resumed") }
      if hasJournal { throw unfinished(output, path) }
      context.console.note(
        "\(name) cannot be read again: if this scan is stopped, it cannot be resumed"
      )
      return .plain
    }
    // A scan killed before it had a journal may leave an empty output; a finished one gives an
    // empty output again.
    if options.resume, FileStatus(path: path) == nil, let status = FileStatus(path: output),
      status.size > 0
    {
      guard !Journal.mayLieElsewhere(of: output) else {
        throw context.setupError(
          "\(output) has a hard link in another folder: if there is a journal beside that one, resume "
            + "the scan under its name; otherwise \(output) is finished"
        )
      }
      try checkAge(of: inputs, against: status, output)
      return .finished(output)
    }
    guard options.resume || !hasJournal else { throw unfinished(output, path) }
    guard hasJournal else { return .anew(path) }
    do throws(ResumeError) {
      let (journal, sinks, names) = try Journal.resume(
        path: path,
        job: job(of: inputs),
        inputs: inputs,
        range: options.range,
        outputs: OutputPaths(
          main: place(output, outputs.fileFormat),
          rejects: options.rejects.flatMap {
            isFile($0) ? place($0, outputs.rejectsFormat(of: $0)) : nil
          },
          missing: options.missing.flatMap { isFile($0) ? $0 : nil },
          waiting: outputs.lockedTable
        )
      )
      return .resumed(journal, sinks, names: names)
    } catch {
      if let failure = error.outputError { throw failure }
      throw context.setupError("cannot resume: \(error)")
    }
  }

  private func place(_ path: String, _ format: Format) -> OutputPaths.Place {
    OutputPaths.Place(path, columns: format.isDatabase ? outputs.fields(of: format) : nil)
  }

  /// Rejects a finished output that is older than one of its inputs.
  private func checkAge(
    of inputs: [Input],
    against output: FileStatus,
    _ name: String
  ) throws(UsageError) {
    for case .file(let path) in inputs {
      guard let input = FileStatus(path: path), input.modified > output.modified else { continue }
      throw context.setupError(
        "\(name) is finished, but \(path) is newer: scan it to another file, or without --resume "
          + "to write \(name) anew"
      )
    }
  }

  /// Creates a journal; `nil` if the output's directory accepts none.
  ///
  /// - Throws: ``UsageError`` if another process runs the scan or an earlier one can be resumed;
  ///   ``OutputError`` without space, since an output without a journal would look complete.
  package func newJournal(at path: String, _ inputs: [Input]) throws -> Journal? {
    do {
      return try Journal.begin(path: path, job: job(of: inputs))
    } catch let error as ResumeError {
      if let failure = error.outputError { throw failure }
      guard !options.resume else { throw context.setupError("cannot begin: \(error)") }
      context.console.note("no journal, so that this scan cannot be resumed: \(error)")
      return nil
    }
  }

  /// Why a scan must not start anew: an earlier one is still running or stopped early.
  private func unfinished(_ output: String, _ journal: String) -> any Error {
    if OutputFile.isBusy(journal) { return OutputError.busy(output) }
    return context.setupError(
      "\(output) is not finished: add --resume, or remove \(journal) to begin anew"
    )
  }

  /// Whether a path is a regular file, or will be one.
  private func isFile(_ path: String) -> Bool {
    path != "-" && FileStatus(path: path)?.isRegular != false
  }

  /// What the networks of a run are those of: other databases have others, in other places.
  private var networks: String {
    let builds = databases?.builds ?? []
    return builds.map { "\(resolvedPath($0.path)) of \(Timestamp(seconds: $0.date))" }
      .joined(separator: ", ")
  }

  /// The database files that answer, and not their contents, which are renewed in the course of a
  /// long scan.
  private var databaseFiles: String {
    // An earlier version did not say which it read.
    if context.givenDatabases.isEmpty, options.resume, let output = options.output,
      DatabaseFiles(inJournal: Journal.path(of: output)).areUnknown
    {
      return ""
    }
    let paths = databases?.builds.map(\.path) ?? options.databases
    guard !paths.isEmpty || options.providers.contains(.local) else { return "" }
    return DatabaseFiles.spelling(of: paths)
  }

  /// Everything that determines the records, with a single spelling for each value.
  private func job(of inputs: [Input]) -> ScanJob {
    let fields = outputs.fields(of: outputs.fileFormat).map(\.name).joined(separator: ",")
    let range = options.range.map { range in
      "\(range.lowerBound):" + (range.upperBound == .max ? "" : "\(range.count)")
    }
    let before: [(String, String)] = [
      // First, since it changes the texts of the others.
      ("anonymize", options.anonymization?.spelling ?? ""),
      ("anonymize-key", context.keyFingerprint ?? ""),
      // Before the fields, which it changes.
      ("with", options.with.map(\.spelling).joined(separator: " ")),
      ("where", context.filter?.spelling(path: resolvedPath) ?? ""),
    ]
    let after: [(String, String)] = [
      ("log", options.log ? "on" : ""), ("range", range ?? ""),
      ("pick", options.pick == .all ? "" : options.pick.spelling),
      ("time-zone", options.timeZone == Options().timeZone ? "" : options.timeZone),
      ("refang", options.refang ? "on" : ""),
      ("min-group", options.minGroup > 1 ? "\(options.minGroup)" : ""),
      ("duplicates", options.duplicates.rawValue), ("max-expand", "\(options.maxExpand)"),
      ("by-network", options.byNetwork ? networks : ""),
      ("unordered", options.unordered ? "on" : ""),
      ("format", outputs.fileFormat.name), ("fields", fields),
      ("spreadsheet", options.spreadsheet ? "on" : ""),
      ("rejects", options.rejects.map(resolvedPath) ?? ""),
      ("missing", options.missing.map(resolvedPath) ?? ""),
      ("provider", options.providers.map(\.name).joined(separator: ",")),
      ("database", databaseFiles),
      ("as-of", context.datedDatabases?.choice ?? ""),
    ]
    let all = before + context.sourceSettings.spellings + after
    return ScanJob(options: all.map { ScanJob.Option($0.0, $0.1) }, inputs: inputs) {
      [anonymizer = context.anonymizer] in anonymizer?.text($0) ?? $0
    }
  }
}

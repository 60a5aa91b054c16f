import Glibc
import Scanner

/// How a scan with an output file begins.
enum ScanBeginning {
  /// Without a journal: the output is no file, or an input cannot be read again.
  case plain
  /// Anew, with a journal.
  case anew(Journal)
  /// Where an earlier run of it stopped.
  case resumed(Journal, OutputSinks)
  /// Not at all: the file is finished.
  case finished(String)
}

extension ScanBeginning {
  /// The journal to keep, if one is kept.
  var journal: Journal? {
    switch self {
    case .anew(let journal), .resumed(let journal, _): journal
    case .plain, .finished: nil
    }
  }

  /// The files that go on, if they do.
  var sinks: OutputSinks? { if case .resumed(_, let sinks) = self { sinks } else { nil } }
}

extension Context {
  /// Decides by `--resume`, the output file and its journal how the scan begins.
  ///
  /// - Parameter inputs: The inputs of the scan.
  /// - Returns: How it begins.
  /// - Throws: ``UsageError`` when it must not begin so.
  func beginning(of inputs: [Input]) throws(UsageError) -> ScanBeginning {
    guard let output = options.output else {
      guard !options.resume else { throw usageError("--resume needs --output FILE") }
      return .plain
    }
    guard isFile(output) else { return .plain }
    let path = output + ".journal"
    // An empty one is of a scan that was killed before it began.
    let size = size(of: path)
    let hasJournal = size ?? 0 > 0
    if let input = inputs.first(where: { !$0.canBeReadAgain }) {
      let name = input == .standardInput ? "stdin" : input.name
      if options.resume { throw usageError("\(name) cannot be read again, so not resumed") }
      if hasJournal { throw unfinished(output, path) }
      console.note("\(name) cannot be read again: if this scan is stopped, it cannot be resumed")
      return .plain
    }
    if options.resume, size == nil, self.size(of: output) != nil { return .finished(output) }
    guard options.resume || !hasJournal else { throw unfinished(output, path) }
    guard hasJournal else { return try newBeginning(journal: path, inputs) }
    do throws(ResumeError) {
      let (journal, sinks) = try Journal.resume(
        path: path,
        fingerprint: fingerprint(of: inputs),
        inputs: inputs,
        outputs: OutputPaths(
          main: output,
          rejects: options.rejects.flatMap { isFile($0) ? $0 : nil },
          missing: options.missing.flatMap { isFile($0) ? $0 : nil }
        )
      )
      return .resumed(journal, sinks)
    } catch {
      throw setupError("cannot resume: \(error)")
    }
  }

  /// Begins a journal, or goes without one where there is no room for it.
  private func newBeginning(
    journal path: String,
    _ inputs: [Input]
  ) throws(UsageError) -> ScanBeginning {
    do throws(ResumeError) {
      return .anew(try Journal.begin(path: path, fingerprint: fingerprint(of: inputs)))
    } catch {
      guard !error.isBusy else { throw setupError("cannot begin: \(error)") }
      console.note("no journal, so that this scan cannot be resumed: \(error)")
      return .plain
    }
  }

  /// The size of a file; `nil` where there is none.
  private func size(of path: String) -> Int? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  private func unfinished(_ output: String, _ journal: String) -> UsageError {
    if Journal.isBusy(path: journal) {
      return setupError("cannot begin: another sonde is at work on \(journal)")
    }
    return setupError(
      "\(output) is not finished: go on with --resume, or remove \(journal) to begin anew"
    )
  }

  /// Whether a path is a regular file, or will be one.
  private func isFile(_ path: String) -> Bool {
    var status = stat()
    guard path != "-" else { return false }
    return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  /// What must be the same for the same records to come out.
  private func fingerprint(of inputs: [Input]) -> String {
    let parts: [String] = [
      inputs.map { "\($0)" }.joined(separator: "\n"), "\(options.log)", "\(options.duplicates)",
      "\(options.maxExpand)", "\(options.unordered)", "\(options.spreadsheet)",
      options.format?.rawValue ?? "", options.fields ?? "", options.rejects ?? "",
      options.missing ?? "", options.providers.map(\.rawValue).joined(separator: ","),
      options.databases.joined(separator: "\n"),
    ]
    return parts.joined(separator: "\u{0}")
  }
}

import Glibc
import Records
import Scanner
import Store

extension Context {
  /// Refuses an output that is also an input, a database, the cache, a journal or another output, and
  /// one whose name says no form.
  ///
  /// - Parameters:
  ///   - inputs: What is read.
  ///   - isReplacing: Whether the main output is to take the place of an input.
  /// - Throws: ``UsageError`` that says which.
  func checkOutputs(against inputs: [Input], isReplacing: Bool = false) throws(UsageError) {
    try checkEnding()
    if options.events == "-", options.output == nil {
      throw usageError("--events - needs --output FILE: stdout is for the records")
    }
    var taken = TakenFiles()
    for case .file(let path) in inputs { try take(path, as: "an input", for: .reading, &taken) }
    if inputs.contains(.standardInput) {
      try taking("stdin") { () throws(TakenFiles.Conflict) in
        try taken.take(descriptor: STDIN_FILENO, as: "an input", for: .reading)
      }
    }
    for path in options.databases { try take(path, as: "a database", for: .reading, &taken) }
    try takeCache(&taken)
    for file in stateFolder.map(Ledger.files(in:)) ?? [] {
      try take(file, as: "the ledger of quotas", for: usesCache ? .writing : .reading, &taken)
    }
    if let output = options.output {
      if !isReplacing { try takeOutput(output, &taken) }
      try take(output + ".journal", as: "the journal of \(output)", for: .writing, &taken)
    }
    if writesToStandardOutput { try takeStandardOutput(&taken) }
    for path in [options.rejects, options.missing, options.events].compactMap(\.self)
    where path != "-" { try takeOutput(path, &taken) }
  }

  private func takeCache(_ taken: inout TakenFiles) throws(UsageError) {
    guard let path = cachePath else { return }
    for file in Store.files(of: path) {
      do throws(TakenFiles.Conflict) {
        // Who does not look into the cache may read it, but not write over it.
        try taken.take(file, as: "the cache", for: usesCache ? .writing : .reading)
      } catch {
        throw setupError("the cache \(path) is also \(error.what)")
      }
    }
  }

  private func takeStandardOutput(_ taken: inout TakenFiles) throws(UsageError) {
    let streams = [options.output, options.rejects, options.missing, options.events]
    if streams.count(where: { $0 == "-" }) + (options.output == nil ? 1 : 0) > 1 {
      throw setupError("stdout is also an output")
    }
    try taking("stdout") { () throws(TakenFiles.Conflict) in
      try taken.take(descriptor: STDOUT_FILENO, as: "an output", for: .writing)
    }
  }

  private func takeOutput(_ path: String, _ taken: inout TakenFiles) throws(UsageError) {
    try take(path, as: "an output", for: .writing, &taken)
    if Journal.isJournal(path: path) { throw setupError("\(path) is a journal") }
    if path.hasSuffix(".journal") { throw setupError("\(path) is the name of a journal") }
  }

  private func take(
    _ path: String,
    as what: String,
    for use: TakenFiles.Use,
    _ taken: inout TakenFiles
  ) throws(UsageError) {
    try taking(path) { () throws(TakenFiles.Conflict) in
      try taken.take(path, as: what, for: use)
    }
  }

  private func taking(
    _ name: String,
    _ take: () throws(TakenFiles.Conflict) -> Void
  ) throws(UsageError) {
    do throws(TakenFiles.Conflict) {
      try take()
    } catch {
      throw setupError("\(name) is also \(error.what)")
    }
  }

  /// Whether the command looks into the cache.
  private var usesCache: Bool { command != .check && command != .extract }

  private func checkEnding() throws(UsageError) {
    guard options.format == nil, command != .extract, let output = options.output,
      let ending = OutputEnding(output).unknown
    else { return }
    throw usageError(
      "\(output): '\(ending)' says no form: name it \(OutputEnding.known), or give --format"
    )
  }
}

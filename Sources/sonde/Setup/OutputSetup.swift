import Glibc
import Records
import Scanner
import Store
import System

extension Context {
  /// Opens the outputs that the options name, and empties those that are begun.
  ///
  /// None is emptied before all can be written.
  ///
  /// - Parameters:
  ///   - inputs: What is read, for the `input` column; no output may be one of them.
  ///   - cards: Whether a terminal gets a card for each address instead of a table.
  ///   - sinks: Files that go on behind what an earlier run has written, in place of new ones.
  ///   - prepare: Opens what else is to be written.
  /// - Returns: The outputs.
  /// - Throws: ``UsageError``, or ``OutputFailure`` when one cannot be opened.
  func outputs(
    for inputs: [Input],
    cards: Bool = false,
    resumed sinks: OutputSinks? = nil,
    with prepare: () throws -> Void = {}
  ) async throws -> Outputs {
    let fields = try recordFields(cards: cards)
    let names = inputs.map(\.name)
    var outputs = Outputs(
      main: Outputs.Place(
        encoder: encoder(mainFormat(cards: cards), fields, names, isMain: true),
        sink: try sinks?.main ?? options.output.map { try Sink(path: $0) } ?? standardOutput
      )
    )
    do {
      if let path = options.rejects {
        let format = Format(path: path) ?? mainFormat(cards: false)
        outputs.rejects = Outputs.Place(
          encoder: encoder(format, fields, names, isMain: false),
          sink: try sinks?.rejects ?? (path == "-" ? standardOutput : Sink(path: path))
        )
      }
      if let path = options.missing {
        outputs.missing = try sinks?.missing ?? (path == "-" ? standardOutput : Sink(path: path))
      }
      try prepare()
      try await outputs.empty()
    } catch {
      await outputs.discard()
      throw error
    }
    return outputs
  }

  /// stdout; the progress line makes room for it where it is on the same terminal.
  private var standardOutput: Sink {
    Sink(observedBy: isSameTerminal(STDOUT_FILENO, STDERR_FILENO) ? console : nil)
  }

  /// The columns picked, or the usual ones.
  private func recordFields(cards: Bool) throws(UsageError) -> [Field] {
    let isTable = mainFormat(cards: cards) == .table
    guard let list = options.fields else { return isTable ? Field.table : Field.standard }
    do {
      return try Field.parse(list: list, addingTo: isTable ? Field.table : Field.standard)
    } catch {
      throw usageError("--fields: \(error)")
    }
  }

  /// The columns that cost the provider extra and were asked for by name.
  var extraFields: Set<Field> {
    let names = (options.fields ?? "").split { $0 == "," || $0 == "+" || $0 == " " }
    return Set(names.compactMap { Field(name: $0) })
  }

  /// The form of the records.
  func mainFormat(cards: Bool) -> Format {
    let isTerminal = options.output == nil && writesToTerminal
    if let format = options.format { return Format(format) }
    if cards, isTerminal { return .card }
    return Format(OutputFormat.standard(for: options.output, isTerminal: isTerminal))
  }

  private func encoder(
    _ format: Format,
    _ fields: [Field],
    _ inputs: [String],
    isMain: Bool
  ) -> RecordEncoder {
    let isTerminal = isMain && options.output == nil && writesToTerminal
    return RecordEncoder(
      format: format,
      fields: fields,
      inputs: inputs,
      spreadsheet: options.spreadsheet,
      width: isTerminal ? terminalWidth(of: STDOUT_FILENO) : nil,
      colors: isMain && options.output == nil
        && usesColor(options.color, isTerminal: isTerminal, environment: environment)
    )
  }

  /// Refuses an output that is also an input, a database, the cache or another output, and a cache
  /// that is also something else.
  ///
  /// - Parameters:
  ///   - inputs: What is read.
  ///   - isReplacing: Whether the main output is to take the place of an input.
  /// - Throws: ``UsageError`` that says which.
  func checkOutputs(against inputs: [Input], isReplacing: Bool = false) throws(UsageError) {
    var taken = TakenFiles()
    for case .file(let path) in inputs { taken.take(path, as: "an input") }
    for path in options.databases { taken.take(path, as: "a database") }
    let stdin =
      inputs.contains(.standardInput) ? FileStatus(descriptor: STDIN_FILENO)?.fileIdentity : nil
    if let stdin { taken.take(stdin, as: "an input") }
    if let path = cachePath {
      if usesCache, let what = taken[path] { throw setupError("the cache \(path) is also \(what)") }
      for file in Store.files(of: path) { taken.take(file, as: "the cache") }
    }
    if let folder = stateFolder {
      for file in Ledger.files(in: folder) { taken.take(file, as: "the ledger of quotas") }
    }
    if options.output == nil, let identity = FileStatus(descriptor: STDOUT_FILENO)?.fileIdentity {
      if let what = taken[identity] { throw setupError("stdout is also \(what)") }
      taken.take(identity, as: "an output")
    }
    for path in [
      isReplacing ? nil : options.output, options.rejects, options.missing, options.events,
    ].compactMap(\.self)
    where path != "-" {
      if let what = taken[path] { throw setupError("\(path) is also \(what)") }
      taken.take(path, as: "an output")
    }
  }

  /// Whether the command looks into the cache.
  private var usesCache: Bool { command != .check && command != .extract }
}

extension Format {
  /// Whether `sonde upgrade` can read it.
  var canBeRead: Bool { self != .table && self != .card }

  /// The format that an option names.
  init(_ option: OutputFormat) {
    self =
      switch option {
      case .csv: .csv
      case .ndjson: .ndjson
      case .json: .json
      case .table: .table
      }
  }
}

import Glibc
import SondeCatalog
package import SondeInputs
import SondeOptions
import SondeOutputs
import SondeRecords
import SondeStore
import SondeSystem

/// Rejects unusable outputs.
///
/// An output may not be written by another process or also be an input, a database, the cache, a
/// journal or another output, and its name must imply a format.
package struct OutputChecks {
  private let context: Context
  private let options: Options
  private let stores: StoreSetup
  private var taken = TakenFiles()

  private init(_ context: Context) {
    self.context = context
    options = context.options
    stores = StoreSetup(context)
  }

  /// Makes all checks before any output is written; `isReplacing`: the output replaces an input.
  ///
  /// - Throws: ``OutputError`` for an output that another process writes, which opening would also
  ///   detect; otherwise ``UsageError`` naming the output and the reason.
  package static func check(
    _ context: Context,
    against inputs: [Input],
    isReplacing: Bool = false
  ) throws {
    var checks = OutputChecks(context)
    try checks.checkNames()
    for path in checks.files where OutputFile.isBusy(path) { throw OutputError.busy(path) }
    try checks.checkDatabases(isReplacing: isReplacing)
    try checks.take(inputs)
    for path in DatabaseSetup(context).readPaths {
      try checks.take(path, as: "a database", for: .reading)
    }
    for source in checks.options.with + [checks.options.truth].compactMap(\.self)
    where !source.path.isEmpty {
      try checks.take(source.path, as: "a table", for: .reading)
    }
    for path in checks.options.never where FileStatus(path: path) != nil {
      try checks.take(path, as: "a file of --never", for: .reading)
    }
    for path in context.filters.flatMap(\.files) {
      try checks.take(path, as: "a table", for: .reading)
    }
    try checks.takeStores()
    try checks.takeOutputs(isReplacing: isReplacing)
  }

  private var files: [String] {
    [options.output, options.rejects, options.missing, options.events, options.html]
      .compactMap(\.self).filter { $0 != "-" }
  }

  private func checkNames() throws(UsageError) {
    if options.format == nil, context.command.writesRecords, let output = options.output,
      let ending = OutputEnding(output).unknown
    {
      throw context.usageError(
        "\(output): '\(ending)' says no form: name it \(OutputEnding.known), or give --format"
      )
    }
    if !context.command.writesRecords, let output = options.output,
      let ending = OutputEnding(output).unsupportedPacking
    {
      throw context.usageError(
        "\(output): '\(ending)' is not written: name it .gz or .zst to compress"
      )
    }
    if options.duplicates == .keep,
      let field = options.fields?.named.first(where: { Field.totals.contains($0) })
    {
      throw context.valueError("fields", Self.totalWithDuplicates(field))
    }
    if options.duplicates == .keep, let filter = context.filter,
      let field = Field.totals.first(where: filter.fields.contains)
    {
      throw context.valueError("where", Self.totalWithDuplicates(field))
    }
    if ![.scan, .check].contains(context.command),
      let field = options.fields?.named.first(where: {
        (Field.occurrence + [.hits]).contains($0)
      })
    {
      throw context.valueError(
        "fields",
        " \(field.name) is of lines and packets: scan and check have it"
      )
    }
    if options.events == "-", options.output == nil {
      throw context.valueError("events", " - needs --output FILE: stdout is for the records")
    }
  }

  private static func totalWithDuplicates(_ field: Field) -> String {
    " \(field.name) is a total of each address, which --duplicates keep has no record for: "
      + "time is of each occurrence"
  }

  /// A database must be a file, created by this run or the one that is resumed.
  private func checkDatabases(isReplacing: Bool) throws(UsageError) {
    let setup = OutputSetup(context)
    let format = setup.mainFormat(cards: context.command.isForPerson)
    if format.isDatabase {
      guard let output = options.output else {
        throw context.valueError("format", " \(format.name) needs --output FILE: it is no stream")
      }
      guard OutputEnding(output).packing == nil else {
        throw context.valueError(
          "format",
          " \(format.name) is not compressed, as \(output) would be"
        )
      }
      if !isReplacing { try checkNew(output) }
    }
    if let path = options.rejects, setup.rejectsFormat(of: path).isDatabase { try checkNew(path) }
  }

  private func checkNew(_ database: String) throws(UsageError) {
    guard !options.resume, FileStatus(path: database) != nil else { return }
    let resume = context.command == .scan ? ", or resume it with --resume" : ""
    throw context.setupError("\(database) is there already: remove it, or name another\(resume)")
  }

  private mutating func take(_ inputs: [Input]) throws(UsageError) {
    for case .file(let path) in inputs { try take(path, as: "an input", for: .reading) }
    guard inputs.contains(.standardInput) else { return }
    try refuse("stdin") { taken throws(TakenFiles.ConflictError) in
      try taken.take(descriptor: STDIN_FILENO, as: "an input", for: .reading)
    }
  }

  private mutating func takeStores() throws(UsageError) {
    // Commands that do not use the cache may read its file but not overwrite it.
    let use: TakenFiles.Use =
      ![.check, .extract, .diff].contains(context.command) ? .writing : .reading
    if let path = stores.cachePath {
      for file in Store.files(of: path) {
        try refuse("the cache \(path)") { taken throws(TakenFiles.ConflictError) in
          try taken.take(file, as: "the cache", for: use)
        }
      }
    }
    for file in stores.ledgerFiles { try take(file, as: "the ledger of quotas", for: use) }
  }

  private mutating func takeOutputs(isReplacing: Bool) throws(UsageError) {
    if let output = options.output {
      if !isReplacing { try takeOutput(output) }
      if [.annotate, .diff, .summary, .block, .outages].contains(context.command)
        || options.summary
      {
        try takeDraft(of: output)
      } else {
        try take(Journal.path(of: output), as: "the journal of \(output)", for: .writing)
      }
    }
    if let page = options.html, page != "-" { try takeDraft(of: page) }
    if options.writesToStandardOutput { try takeStandardOutput() }
    let others = [options.rejects, options.missing, options.events, options.html]
    for path in others.compactMap(\.self)
    where path != "-" { try takeOutput(path) }
  }

  /// The unfinished output, which lies beside it until it is complete.
  private mutating func takeDraft(of output: String) throws(UsageError) {
    try take(output + ".partial", as: "what is done of \(output)", for: .writing)
  }

  private mutating func takeStandardOutput() throws(UsageError) {
    let streams = [
      options.output, options.rejects, options.missing, options.events, options.html,
    ]
    if streams.count(where: { $0 == "-" }) + (options.output == nil ? 1 : 0) > 1 {
      throw context.setupError("stdout is also an output")
    }
    try refuse("stdout") { taken throws(TakenFiles.ConflictError) in
      try taken.take(descriptor: STDOUT_FILENO, as: "an output", for: .writing)
    }
  }

  private mutating func takeOutput(_ path: String) throws(UsageError) {
    try take(path, as: "an output", for: .writing)
    if context.command.writesRecords, OutputEnding(path).format?.isDatabase == true {
      for file in RecordDatabaseSink.files(of: path).dropFirst() {
        try take(file, as: "beside the database \(path)", for: .writing)
      }
    }
    if Journal.isJournal(path: path) { throw context.setupError("\(path) is a journal") }
    if path.hasSuffix(".journal") {
      throw context.setupError("\(path) is the name of a journal")
    }
  }

  private mutating func take(
    _ path: String,
    as what: String,
    for use: TakenFiles.Use
  ) throws(UsageError) {
    try refuse(path) { taken throws(TakenFiles.ConflictError) in
      try taken.take(path, as: what, for: use)
    }
  }

  /// Reserves a file and rejects it if it has another use already.
  private mutating func refuse(
    _ name: String,
    _ take: (inout TakenFiles) throws(TakenFiles.ConflictError) -> Void
  ) throws(UsageError) {
    do throws(TakenFiles.ConflictError) {
      try take(&taken)
    } catch {
      throw context.setupError("\(name) is also \(error.what)")
    }
  }
}

import Glibc
import SondeSetup
import SondeAsking
import SondeInputs
import SondeOptions
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeReport
import SondeSystem
import SondeUpgrade

/// `sonde upgrade`: repeats look-ups that a fallback answered, that failed or were lost.
struct UpgradeCommand {
  private let context: Context
  private let input: Input
  private let fallbacks: [Source]

  static func run(_ context: Context) async throws -> ExitStatus {
    var context = context
    let input = context.operands[0] == "-" ? Input.standardInput : .file(context.operands[0])
    guard let first = context.options.providers.first, first != .local || !context.added.isEmpty
    else {
      throw context.usageError(
        "upgrade asks the first provider, and local is none to ask again: name another first, "
          + "or columns to add with --with"
      )
    }
    // With local first, only sources add columns and no provider is asked.
    let others = first == .local ? [] : context.options.providers.dropFirst() + [.local]
    context.options.providers = [first]
    do {
      return try await UpgradeCommand(
        context: context,
        input: input,
        fallbacks: others.flatMap { $0.sources.map(\.source) }
      ).run()
    } catch let error as InputError {
      context.console.error(error.words)
      return .inputOutput
    }
  }

  private func run() async throws -> ExitStatus {
    let isReplacing = isReplacing
    try OutputChecks.check(context, against: [input], isReplacing: isReplacing)
    if isReplacing { try checkFinished() }
    if case .file(let path) = input, OpenedTable.isDatabase(path: path) {
      return try await upgradeTable(path, isReplacing: isReplacing)
    }
    // Locked before it is read, so that no concurrent write is lost.
    let output = isReplacing ? context.options.output : nil
    let replacement = try output.map { try FileReplacement(of: $0) }
    do {
      return try await upgrade(to: replacement)
    } catch {
      replacement?.discard()
      throw error
    }
  }

  private func upgrade(to replacement: FileReplacement?) async throws -> ExitStatus {
    let records = try OpenedRecords(
      input,
      fallbacks: fallbacks,
      filling: RowFilling(context.added, claims: context.options.claims)
    )
    let layout = records.layout
    let copiesRest = records.isFile && context.options.output != nil
    try check(layout, isCompressed: replacement != nil && records.isCompressed)
    let context = context.with(layout, of: input)
    let reporter = Reporter(console: context.console)
    let providers = try await ProviderSetup(context).providers { reporter.report($0) }
    let sinks = replacement.map { OutputSinks(main: $0.sink) }
    let outputs = OutputSetup(context)
    let main = try await outputs.outputs(named: [input.name], resumed: sinks) {
      let events = try outputs.events(appends: false)
      try events?.empty()
      reporter.record(to: events)
    }.main
    let upgrade = Upgrade(
      of: records,
      to: main,
      chain: providers.chain,
      batches: 2 * context.options.concurrency,
      copiesRest: copiesRest
    ) { reporter.report($0) }
    return await Enrichment(context, inputs: [input]).run(
      upgrade.scan,
      asking: providers,
      reporter
    ) { [context, input] in
      var outcome = await upgrade.run()
      if let replacement { Self.settle(replacement, &outcome, input.name, context.console) }
      return outcome
    }
  }

  /// Updates the rows of a database in place, or in a copy.
  private func upgradeTable(_ path: String, isReplacing: Bool) async throws -> ExitStatus {
    guard let output = context.options.output else {
      throw context.usageError("\(path) is a database: upgrade needs --output FILE for it")
    }
    let table = try OpenedTable(
      path: path,
      fallbacks: fallbacks,
      filling: RowFilling(context.added, claims: context.options.claims),
      waiting: OutputSetup(context).lockedTable
    )
    try check(table.layout, isCompressed: false)
    let context = context.with(table.layout, of: input)
    let reporter = Reporter(console: context.console)
    let providers = try await ProviderSetup(context).providers { reporter.report($0) }
    let outputs = OutputSetup(context)
    let events = try outputs.events(appends: false)
    let file = try isReplacing ? table.hold() : table.copy(to: output)
    try table.addColumns(in: output)
    try events?.empty()
    reporter.record(to: events)
    let upgrade = Upgrade(
      of: table,
      encoder: outputs.mainEncoder(named: [input.name]),
      in: file,
      chain: providers.chain,
      batches: 2 * context.options.concurrency
    ) { reporter.report($0) }
    return await Enrichment(context, inputs: [input]).run(
      upgrade.scan,
      asking: providers,
      reporter
    ) { [context] in
      let outcome = await upgrade.run()
      if outcome.isInterrupted, outcome.upgrades?.upgraded ?? 0 > 0 {
        context.console.note(Self.continuation(of: output))
      }
      return outcome
    }
  }

  private static func continuation(of output: String) -> String {
    let name = shellQuoted(output)
    return "\(output) has the answers so far; "
      + "'sonde upgrade \(name) -o \(name)' continues with the rest"
  }

  private var isReplacing: Bool {
    guard case .file(let path) = input, let output = context.options.output,
      let identity = Self.identity(of: path)
    else { return false }
    return identity == Self.identity(of: output)
  }

  /// The identity of a regular file; `nil` for anything else.
  private static func identity(of path: String) -> FileIdentity? {
    FileStatus(path: path).flatMap { $0.isRegular ? $0.identity : nil }
  }

  /// Rejects a file whose scan runs or can be resumed: that scan would write to the new file.
  ///
  /// - Throws: ``OutputError`` for a running scan, ``UsageError`` for one that stopped early.
  private func checkFinished() throws {
    for name in [input.name, context.options.output ?? input.name] {
      let journal = Journal.path(of: name)
      guard FileStatus(path: journal) != nil else { continue }
      if OutputFile.isBusy(journal) { throw OutputError.busy(name) }
      throw context.setupError(
        "\(name) is not finished: resume it with scan --resume first, or remove \(journal)"
      )
    }
  }

  /// Rejects options that would change the format of the records.
  private func check(_ layout: RecordLayout, isCompressed: Bool) throws(UsageError) {
    if isCompressed {
      throw context.setupError("\(input.name) is compressed: give --output another file")
    }
    guard let output = context.options.output, let format = OutputEnding(output).format,
      format != layout.format
    else { return }
    throw context.setupError(
      "\(input.name) is \(layout.format.name), and so is what upgrade makes of it: "
        + "\(output) would have the wrong ending"
    )
  }

  /// Replaces the old file if the new one is complete and has upgraded rows.
  private static func settle(
    _ replacement: FileReplacement,
    _ outcome: inout ScanOutcome,
    _ name: String,
    _ console: Console
  ) {
    let isNew = (outcome.upgrades?.upgraded ?? 0) > 0
    guard outcome.isCopied, outcome.outputError == nil, isNew else {
      if isNew { console.error("\(name) stays as it was") }
      replacement.discard()
      return
    }
    do throws(OutputError) {
      try replacement.commit()
      if outcome.isInterrupted {
        console.note("\(name) has the answers so far; the same command continues with the rest")
      }
    } catch {
      outcome.outputError = error
    }
  }
}

extension Context {
  /// The same context for records of this layout; CSV keeps the columns of its header.
  fileprivate func with(_ layout: RecordLayout, of input: Input) -> Context {
    var context = self
    context.options.format = layout.format
    guard var fields = layout.fields else { return context }
    if case .picked(let others) = options.fields, others != fields {
      console.note("\(input.name) keeps its columns: --fields is for JSON")
    }
    // The default columns include it, but it is looked up only if it is named.
    if !options.extraFields.contains(.hostname), fields.starts(with: Field.standard) {
      fields.removeAll { $0 == .hostname }
    }
    context.options.fields = .picked(fields)
    return context
  }
}

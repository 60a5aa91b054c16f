import SondeSetup
import SondeAnnotate
import SondeAsking
import SondeInputs
import SondeOptions
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeReport
import SondeStore
import SondeSystem

/// `sonde annotate`: copies a log and inserts the answers for its addresses.
struct AnnotateCommand {
  private let context: Context
  private let inputs: [Input]
  private let reporter: Reporter

  private var options: Options { context.options }

  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try InputSetup(context).files()
    let command = AnnotateCommand(
      context: context,
      inputs: inputs,
      reporter: Reporter(console: context.console)
    )
    try command.check()
    return try await command.run()
  }

  /// Rejects inconsistent options.
  private func check() throws {
    if let field = options.fields?.named.first(where: Field.places.contains) {
      throw context.valueError(
        "fields",
        " \(field.name) makes no sense here: every place of an address gets the same"
      )
    }
    if insertsNothing, !options.style.isText {
      throw context.valueError("fields", " none is for --style brackets and end")
    }
    if options.range != nil, options.style == .columns {
      throw context.valueError("range", " is not for --style columns, which needs the header")
    }
    if options.pick != .all, options.style == .columns {
      throw context.valueError("pick", " is not for --style columns, which has --column")
    }
    // If `--style` was forgotten, the default style would break the table.
    if let (name, style) = Self.ofOneStyle.first(where: { isStray($0.name, of: $0.style) }) {
      throw context.usageError("--\(name) is for --style \(style.rawValue)")
    }
    try InputSetup(context).checkRange(of: inputs)
    try OutputChecks.check(context, against: inputs)
  }

  /// The settings that only one style uses.
  private static let ofOneStyle: [(name: String, style: AnnotateStyle)] = [
    ("column", .columns), ("delimiter", .columns), ("spreadsheet", .columns), ("key", .json),
    ("inside", .json),
  ]

  /// Whether the command line gives a setting of another style.
  ///
  /// Environment and configuration files apply to every run and are not checked.
  private func isStray(_ name: String, of style: AnnotateStyle) -> Bool {
    options.style != style && options.isGiven(name)
  }

  private func run() async throws -> ExitStatus {
    let providers = try await ProviderSetup(context).providers { [reporter] in reporter.report($0) }
    let opened = try InputSet(readable: inputs, areFiles: true, range: options.range)
    let replacement = try OutputSetup(context).replacement(of: options.output)
    do {
      let annotation = try annotation(of: opened, providers, to: replacement)
      return await Enrichment(context, inputs: inputs).run(
        annotation,
        asking: providers,
        reporter
      ) { [context] in
        var outcome = await annotation.run()
        if let replacement { Self.settle(replacement, &outcome) }
        for error in outcome.inputErrors where error.isMisuse {
          context.console.error(error.words)
        }
        return outcome
      }
    } catch {
      replacement?.discard()
      throw error
    }
  }

  private func annotation(
    of opened: InputSet,
    _ providers: RunProviders,
    to replacement: FileReplacement?
  ) throws -> Annotation {
    let setup = OutputSetup(context)
    let events = try setup.events(appends: false)
    let sink = try replacement?.sink ?? setup.sink(at: options.output ?? "-")
    try events?.empty()
    reporter.record(to: events)
    var rules = Annotation.Rules()
    (rules.wait, rules.onlyMatching) = (options.wait, options.onlyMatching)
    rules.filter = try context.filter(named: inputs.map(\.name), sightings: nil)
    (rules.insertsNothing, rules.anonymizer) = (insertsNothing, context.anonymizer)
    (rules.pick, rules.pickFindings) = (options.pick, context.pickFindings)
    (rules.claims, rules.periods) = (options.claims, context.periods)
    rules.zone = try SummarySetup.zone(context)
    (rules.refangs, rules.batches) = (options.refang, 2 * options.concurrency)
    return try Annotation(
      of: opened,
      style: style,
      chain: providers.chain,
      spill: AnswerSpill(warn: context.console.note),
      rules: rules,
      to: sink,
      packing: setup.packing(of: options.output)
    ) { [reporter] in reporter.report($0) }
  }

  /// Whether `--fields none` is given.
  private var insertsNothing: Bool { options.fields == .picked([]) }

  private var style: any AnnotationStyle {
    guard !insertsNothing else { return CopyStyle() }
    switch options.style {
    case .brackets, .end:
      var isUsual = true
      let columns = context.addedColumns.filter { !$0.isTechnical }
      if case .picked = options.fields { isUsual = false }
      let encoder = encoder(isUsual ? .inlineNetwork : .inline, usual: Field.inline, columns)
      let added = addedEncoder(columns)
      let dims = options.output == nil && context.colorsOutput
      guard options.style == .end else {
        return BracketStyle(encoder: encoder, added: added, dims: dims)
      }
      return EndStyle(encoder: encoder, added: added, dims: dims)
    case .json:
      let usual = Field.standard.filter { $0 != .line }
      return JSONStyle(
        encoder: encoder(.ndjson, usual: usual, context.addedColumns),
        key: options.key,
        searchesInside: options.inside
      )
    case .columns:
      return ColumnsStyle(
        encoder: encoder(.csv, usual: Field.columns, context.addedColumns),
        columns: options.columns,
        delimiter: options.delimiter,
        isSpreadsheet: options.spreadsheet
      )
    }
  }

  private func encoder(
    _ format: Format,
    usual: [Field],
    _ added: [AddedColumn]
  ) -> RecordEncoder {
    RecordEncoder(
      format: format,
      fields: context.fields(usual: usual, adding: added),
      sources: Provider.sourceNames,
      spreadsheet: options.spreadsheet,
      added: context.added,
      anonymizer: context.anonymizer
    )
  }

  /// Encodes the columns of sources, even without a provider's answer; `nil` if sources add none.
  private func addedEncoder(_ columns: [AddedColumn]) -> RecordEncoder? {
    let fields = context.fields(usual: [], adding: columns).filter(\.isAdded)
    guard !fields.isEmpty else { return nil }
    return RecordEncoder(
      format: .inline,
      fields: fields,
      added: context.added,
      anonymizer: context.anonymizer
    )
  }

  /// Replaces the file once all input is processed.
  private static func settle(_ replacement: FileReplacement, _ outcome: inout ScanOutcome) {
    if outcome.isMisused {
      replacement.discard()
      return
    }
    guard !outcome.isInterrupted, outcome.outputError == nil else {
      outcome.unfinished.append(replacement.unfinished)
      return
    }
    do throws(OutputError) {
      try replacement.commit()
    } catch {
      outcome.outputError = error
      outcome.unfinished.append(replacement.unfinished)
    }
  }
}

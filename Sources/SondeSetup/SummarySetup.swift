import Glibc
package import SondeCounting
package import SondeInputs
package import SondeOptions
import SondeRecords
import SondeReport
package import SondeSummary
package import SondeSystem

/// The counts of a summary and their presentation, as configured by the options.
package struct SummarySetup {
  package let rules: SummaryRules
  package let format: SummaryFormat
  private let context: Context

  private var options: Options { context.options }

  /// Reads the options.
  ///
  /// - Throws: ``UsageError`` for an unknown time zone, a period that ends before it begins, or an
  ///   output whose name implies no format.
  package init(_ context: Context) throws(UsageError) {
    self.context = context
    let options = context.options
    var rules = try Self.rules(context)
    rules.countsByTime = options.html != nil
    rules.groupings = try Self.groupings(context)
    if !rules.groupings.isEmpty { rules.columns = Self.encoder(rules.groupings, context) }
    let asksAboutRows =
      !rules.groupings.isEmpty && rules.groupings.allSatisfy(\.hasAddress)
      && options.tables == nil && options.html == nil && options.top > 0
    // Rows of truncated addresses have several, of which some may be in rows that are not shown.
    let isTruncated = if case .truncate = options.anonymization { true } else { false }
    if asksAboutRows, !isTruncated { rules.leading = options.top }
    self.rules = rules
    format = try Self.format(context)
    try Self.check(context)
    if let kinds = options.tables?.kinds,
      let grouping = rules.groupings.first(where: { kinds.map(\.rawValue).contains($0.name) })
    {
      throw context.usageError(
        "--tables and --by have a table of one name each: leave \(grouping.name) out of one of them"
      )
    }
    let writesText = format == .csv || format == .tsv
    if writesText, rules.groupings.count > 1 || !rules.groupings.isEmpty && options.tables != nil {
      throw context.usageError(
        "\(format.rawValue) has the columns of one --by alone: give a single one and no --tables, or "
          + "take json or ndjson"
      )
    }
  }

  /// Which lines and records are counted.
  package static func rules(_ context: Context) throws(UsageError) -> SummaryRules {
    let options = context.options
    var rules = SummaryRules()
    rules.isLog = options.log
    (rules.pick, rules.pickFindings) = (options.pick, context.pickFindings)
    (rules.refangs, rules.claims) = (options.refang, options.claims)
    (rules.zone, rules.periods) = (try zone(context), context.periods)
    let now = Timestamp.now.milliseconds
    rules.since = options.since.map { $0.milliseconds(in: rules.zone, now: now) }
    rules.until = options.until.map { $0.milliseconds(in: rules.zone, now: now) }
    if let since = rules.since, let until = rules.until, since > until {
      throw backwards(context, "no line could be counted")
    }
    return rules
  }

  /// The error for a span that ends before it begins; `result` is what comes of it.
  package static func backwards(_ context: Context, _ result: String) -> UsageError {
    let until = context.origin(of: "until")
    return context.valueError("since", " is later than \(until.spelling), so that \(result)")
  }

  /// Rejects a page whose name does not end in `.html` and an output to which nothing is written.
  package static func check(_ context: Context) throws(UsageError) {
    let options = context.options
    if let path = options.html, !isPage(path), path != "-",
      FileStatus(path: path)?.isRegular ?? true
    {
      throw context.valueError(
        "html",
        " takes the name of the page to write, which ends in .html: \(path) does not"
      )
    }
    if let path = options.output, options.tables?.kinds.isEmpty ?? false {
      throw context.valueError("tables", " none writes nothing to \(path): leave --output out")
    }
  }

  private static func isPage(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".html") || name.hasSuffix(".htm")
  }

  /// The combinations of `--by`.
  ///
  /// - Throws: ``UsageError`` for a name that no field has.
  private static func groupings(_ context: Context) throws(UsageError) -> [Grouping] {
    var groupings: [Grouping] = []
    for (index, names) in context.options.by.enumerated() {
      do throws(Grouping.UnknownField) {
        let grouping = try Grouping(names) { name in
          Field(name: name)
            ?? context.addedColumns.first { $0.name == name }.map { .added($0) }
        }
        if !groupings.contains(grouping) { groupings.append(grouping) }
      } catch {
        let hint = context.option(for: error.name).map { " without \($0)" } ?? ""
        let reason = "there is no field '\(escapedForPerson(error.name))'\(hint)"
        throw context.valueError("by", at: index, ": \(reason)")
      }
    }
    return groupings
  }

  private static func encoder(_ groupings: [Grouping], _ context: Context) -> RecordEncoder {
    RecordEncoder(
      format: .tsv,
      fields: groupings.columns,
      added: context.added,
      anonymizer: context.anonymizer
    )
  }

  /// The zone of the options.
  package static func zone(_ context: Context) throws(UsageError) -> TimeZoneRules {
    let name = context.options.timeZone
    // Known even without a time zone database.
    if name == TimeZoneRules.utc.name { return .utc }
    if let zone = TimeZoneRules(name) { return zone }
    throw context.valueError(
      "time-zone",
      ": there is no zone \(quoted(name)): expected a name such as Europe/Berlin"
    )
  }

  /// The format of the options, or of the output's name.
  package static func format(
    _ context: Context,
    usual: SummaryFormat = .table
  ) throws(UsageError) -> SummaryFormat {
    if let format = context.options.summaryFormat { return format }
    guard let output = context.options.output else { return usual }
    let ending = OutputEnding(output)
    guard ending.unknown == nil else { throw unknownForm(of: output, context) }
    guard let named = ending.format else { return usual }
    guard let format = SummaryFormat(rawValue: named.name) else {
      throw unknownForm(of: output, context)
    }
    return format
  }

  private static func unknownForm(of output: String, _ context: Context) -> UsageError {
    let names = SummaryFormat.allCases.dropFirst().map(\.rawValue)
    return context.usageError(
      isPage(output)
        ? "a page is written by --html \(shellQuoted(output)), not --output"
        : "\(output): its ending says no form of a summary: name it "
          + ".\(names.joined(separator: ", .")), or give --format"
    )
  }

  /// Selects the tables to write and their length.
  package var selection: SummarySelection {
    var selection = SummarySelection()
    // Combinations alone, unless tables are named, too.
    selection.kinds = options.tables?.kinds ?? (rules.groupings.isEmpty ? nil : [])
    selection.top = options.top == 0 ? nil : options.top
    return selection
  }

  /// Selects the tables to compute.
  package func reportRules(_ inputs: [Input]) -> SummaryReport.Rules {
    var rules = SummaryReport.Rules()
    rules.addresses = options.top == 0 ? .max : options.top
    let timelines = SummaryTable.Kind.allCases.filter { kind in
      kind.isTimeline && options.tables?.kinds.contains(kind) ?? false
    }
    // A timeline requested by name is written however long the log.
    if !timelines.isEmpty { rules.timelines = timelines }
    rules.groupings = self.rules.groupings
    rules.combinations = options.top == 0 ? .max : options.top
    rules.inputs = inputs.map(\.name)
    rules.anonymizer = context.anonymizer
    rules.leastGroup = options.minGroup
    rules.hasChoices = options.html != nil
    return rules
  }

  /// How text is written to the output.
  package static func style(_ context: Context) -> SummaryStyle {
    let options = context.options
    var style = SummaryStyle()
    let isTerminal = options.output == nil && context.writesToTerminal
    if isTerminal, let width = terminalWidth(of: STDOUT_FILENO) { style.width = width }
    style.isUnicode = hasUnicode(context.environment)
    style.isColored = options.output == nil && context.colorsOutput
    return style
  }

  /// The same for rows that only a terminal cuts.
  package static func rowStyle(_ context: Context) -> SummaryStyle {
    var style = style(context)
    if context.options.output != nil || !context.writesToTerminal { style.width = .max }
    return style
  }

  /// The title: the given one, or the names of the inputs.
  package func title(of inputs: [Input]) -> String {
    if let title = options.title { return title }
    let names = inputs.map { $0 == .standardInput ? "stdin" : $0.name }
    guard names.count > 3 else { return names.joined(separator: ", ") }
    return "\(names[0]) and \(names.count - 1) more"
  }
}

import Glibc
import SondeAddresses
import SondeAsking
package import SondeInputs
package import SondeOptions
import SondeProviders
import SondeRecords
import SondeReport
import SondeSystem

/// The inputs that the operands and options name.
package struct InputSetup {
  private let context: Context

  package init(_ context: Context) { self.context = context }

  /// The inputs that the operands name; stdin if there are none and it is not a terminal.
  ///
  /// - Throws: ``UsageError`` without operands if stdin is a terminal.
  package func inputs() throws(UsageError) -> [Input] {
    guard context.operands.isEmpty else {
      return context.operands.map {
        let options = context.options
        return Input(operand: $0, refangs: options.refang, hasSystems: options.byNetwork)
      }
    }
    guard isatty(STDIN_FILENO) == 0 else {
      throw context.usageError("no input: give a file, an address or -, or pipe a list in")
    }
    return [.standardInput]
  }

  /// The same, with every operand taken as a file.
  package func files() throws(UsageError) -> [Input] {
    if context.operands.isEmpty, isatty(STDIN_FILENO) != 0 {
      throw context.usageError("no input: give a file or -, or pipe text in")
    }
    guard !context.operands.isEmpty else { return [.standardInput] }
    return context.operands.map { $0 == "-" ? .standardInput : .file($0) }
  }

  /// Rejects `--range` for inputs that it does not apply to.
  package func checkRange(of inputs: [Input]) throws(UsageError) {
    guard context.options.range != nil else { return }
    if [.scan, .check, .compare].contains(context.command), !context.options.log {
      throw context.valueError("range", " applies to logs: add --log")
    }
    if inputs.count > 1 { throw context.valueError("range", " applies to one file") }
  }

  /// Rejects `--pick` for lists.
  package func checkPick() throws(UsageError) {
    let options = context.options
    guard options.pick != .all, [.scan, .check, .compare].contains(context.command) else { return }
    guard options.log || options.pcap else {
      throw context.valueError("pick", " applies to logs: add --log")
    }
  }

  /// The exit status of a run in which no line has the name of `--pick`, which it reports.
  package var pickStatus: ExitStatus {
    let findings = context.pickFindings
    guard let name = context.options.pick.name, !findings.hasName else { return .success }
    let names = findings.firstNames.prefix(20).map { quoted(escapedForPerson($0)) }
    let list = names.joined(separator: ", ")
    let hint = names.isEmpty ? "" : ": the first line with names has \(list)"
    context.console.error("--pick: no line has \(quoted(escapedForPerson(name)))\(hint)")
    return .failed
  }

  /// Rejects `--by-network` where there are no networks.
  package func checkNetworks() throws(UsageError) {
    let options = context.options
    guard options.byNetwork else { return }
    for (isGiven, name) in [(options.log, "--log"), (options.pcap, "--pcap")] where isGiven {
      throw context.valueError("by-network", " is for lists only: leave out \(name)")
    }
    guard options.providers == [.local] else {
      throw context.valueError("by-network", " needs --provider local, and no other")
    }
    let setup = OutputSetup(context)
    let fields = setup.fields(of: setup.mainFormat(cards: false))
    let named = fields + (context.filter.map { Array($0.fields) } ?? [])
    let lines = Field.occurrence + Field.totals
    if let field = named.first(where: { lines.contains($0) }) {
      let reason = " has no \(field.name), which belongs to an address or its line"
      throw context.valueError("by-network", reason)
    }
  }

  /// Whether packet captures are read: by commands that find addresses anywhere.
  package var captures: CaptureRule {
    if context.options.byNetwork { return .refused }
    return switch context.command {
    case .scan, .plan, .extract, .compare, .summary, .block:
      context.options.pcap ? .insisted : .recognized
    default: .refused
    }
  }

  /// The rules for reading entries of inputs with these names.
  package func entryRules(named inputs: [String]) throws(UsageError) -> EntryRules {
    let options = context.options
    var rules = EntryRules()
    rules.mode = options.log ? .log : .list
    rules.keepsDuplicates = options.duplicates == .keep
    (rules.pick, rules.pickFindings) = (options.pick, context.pickFindings)
    rules.refangs = options.refang
    rules.maximumExpansion = UInt64(options.maxExpand)
    let setup = OutputSetup(context)
    let fields = setup.fields(of: setup.mainFormat(cards: context.command.isForPerson))
    let named = Set(fields).union(context.filter?.fields ?? [])
    rules.sightings = try sightings(showing: Set(fields), needing: named, inputs)
    rules.wantsOffsets = named.contains(.offset)
    rules.isJournalled = context.command == .scan && options.output != nil
    return rules
  }

  /// The record of occurrences; `nil` if no field depends on them.
  private func sightings(
    showing shown: Set<Field>,
    needing named: Set<Field>,
    _ inputs: [String]
  ) throws(UsageError) -> Sightings? {
    var rules = Sightings.Rules()
    let filter = try context.filter(named: inputs, sightings: nil)
    rules.filter = filter.flatMap { $0.dependsOnPlace ? $0 : nil }
    rules.countsTotals = !named.isDisjoint(with: Field.totals)
    let times = Field.occurrence.filter { $0 != .text } + [.firstSeen, .lastSeen]
    rules.findsTimes = !named.isDisjoint(with: times)
    rules.keepsTexts = shown.contains(.text)
    rules.claims = context.options.log ? context.options.claims : nil
    rules.periods = context.periods
    if rules.periods != nil, let databases = context.datedDatabases,
      let filter = rules.filter, !filter.isDecidedEarly
    {
      rules.answers = { [answers = DatedFindings(filter, databases)] in answers.findings(of: $0) }
    }
    guard rules.filter != nil || rules.countsTotals || rules.readsLines else { return nil }
    rules.keepsDuplicates = context.options.duplicates == .keep && context.command != .plan
    rules.zone = try SummarySetup.zone(context)
    (rules.anonymizer, rules.pseudonyms) = (context.anonymizer, context.pseudonyms)
    return Sightings(rules)
  }
}

extension InputSet {
  /// Opens inputs before any output is written.
  ///
  /// - Throws: ``UnreadableInputsError`` if none can be read.
  package init(
    readable inputs: [Input],
    captures: CaptureRule = .refused,
    hasDatabases: Bool = false,
    areFiles: Bool = false,
    range: Range<Int>? = nil
  ) throws(UnreadableInputsError) {
    self.init(opening: inputs, captures: captures, hasDatabases: hasDatabases, range: range)
    guard canBeRead else { throw UnreadableInputsError(reasons: failures, areFiles: areFiles) }
  }
}

/// None of the inputs can be read.
package struct UnreadableInputsError: Error {
  package let reasons: [InputError]
  /// Whether they could only be files.
  package let areFiles: Bool
  /// Whether an option is invalid for one of them.
  package var isMisuse: Bool { reasons.contains(where: \.isMisuse) }
}

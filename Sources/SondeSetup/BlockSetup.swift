import SondeAddresses
package import SondeBlock
import SondeCatalog
package import SondeCounting
import SondeLists
package import SondeOptions
package import SondeRecords
import SondeReport
import SondeSummary
import SondeSystem
import SondeTables

/// The rules of `block` and their form, as configured by the options.
package struct BlockSetup {
  package let rules: SummaryRules
  package let format: BlockFormat
  package let limits: BlockLimits
  package let spared: SparedNetworks
  package let style: RuleStyle
  package let bad: Filter
  private let context: Context

  /// Reads the options.
  ///
  /// - Throws: ``UsageError`` for missing or contradictory ones, and for unreadable networks.
  package init(_ context: Context) throws(UsageError) {
    self.context = context
    guard let bad = context.bad else {
      throw context.usageError(
        "which hits are bad? Give --bad EXPR, such as --bad 'country_code = CN'"
      )
    }
    self.bad = bad
    rules = try SummarySetup.rules(context)
    limits = context.options.blockLimits
    for (shortest, longest) in [
      (limits.shortest.ipv4, limits.longest.ipv4), (limits.shortest.ipv6, limits.longest.ipv6),
    ] where shortest > longest {
      throw context.valueError(
        "shortest",
        ": no prefix is at least \(shortest) and at most \(longest) long"
      )
    }
    format = try Self.format(context)
    style = try Self.style(context, format)
    var networks: [AddressRange] = []
    for (index, name) in context.options.never.enumerated() {
      networks += try Self.networks(name, at: index, context)
    }
    spared = SparedNetworks(networks)
  }

  /// What tells the hits of inputs with these names apart.
  package func judge(_ inputs: [String]) -> HitJudge {
    var (bad, good) = (bad, context.good)
    bad.inputs = inputs
    good?.inputs = inputs
    return HitJudge(bad: bad, good: good, capturing: context.pattern)
  }

  /// The format of the options, or of the output's name.
  private static func format(_ context: Context) throws(UsageError) -> BlockFormat {
    if let format = context.options.blockFormat { return format }
    guard let output = context.options.output else {
      return context.writesToTerminal ? .table : .plain
    }
    let known: [String: BlockFormat] = ["txt": .plain, "csv": .csv, "json": .json, "nft": .nft]
    var parts = (output.split(separator: "/").last ?? "").split(separator: ".").map {
      $0.lowercased()
    }
    if let last = parts.last, parts.count > 1, last == "gz" || last == "zst" { parts.removeLast() }
    guard parts.count > 1, let ending = parts.last else { return .plain }
    guard let format = known[ending] else {
      throw context.usageError(
        "\(output): its ending says no form of rules: name it .txt, .csv, .json or .nft, or give --format"
      )
    }
    return format
  }

  private static func style(_ context: Context, _ format: BlockFormat) throws(UsageError)
    -> RuleStyle
  {
    var style = RuleStyle()
    style.name = context.options.name
    style.isForSpreadsheets = context.options.spreadsheet
    if let fault = format.fault(ofName: style.name) {
      throw context.valueError("name", " \(style.name) \(fault): choose another one")
    }
    guard let expire = context.options.expire else { return style }
    let seconds = Int64(clamping: (expire.milliseconds + 999) / 1000)
    if let longest = format.longestExpiry, seconds > longest {
      throw context.valueError("expire", " is too long: \(format.rawValue) takes up to \(longest)s")
    }
    style.expire = seconds
    return style
  }

  /// The networks of a file or a published list.
  private static func networks(
    _ name: String,
    at index: Int,
    _ context: Context
  ) throws(UsageError) -> [AddressRange] {
    do throws(TableFileError) {
      guard let list = AddedSource.published.first(where: { $0.name == name }) else {
        return try TableFile(path: name).table().ranges
      }
      guard let folder = context.listFolder else {
        let reason = "neither XDG_STATE_HOME nor HOME is set, so that there is no place for it"
        throw TableFileError(path: name, line: nil, reason: reason)
      }
      return try folder.table(of: list).ranges
    } catch {
      var misuse = context.valueError("never", at: index, ": \(error)")
      misuse.isAboutSetup = true
      throw misuse
    }
  }
}

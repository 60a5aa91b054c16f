public import SondePrivacy
import SondeRecords
import SondeSystem

extension SummaryReport {
  /// The tables to create, and their limits.
  public struct Rules: Sendable {
    /// The largest number of addresses, at least ``SummaryTable/leastAddresses``.
    public var addresses = SummaryTable.leastAddresses
    /// The timelines to create; `nil` for hours, or days if there are more than ``mostHours``.
    public var timelines: [SummaryTable.Kind]?

    /// The combinations to count.
    public var groupings: [Grouping] = []
    /// The most rows of each table of combinations.
    public var combinations = Int.max
    /// The names of the inputs, by number.
    public var inputs: [String] = []
    /// Replaces addresses in all texts; `nil` if they stay.
    public var anonymizer: Anonymizer?
    /// Whether a reader can choose among the rows.
    public var hasChoices = true
    /// The fewest distinct addresses whose place is shown; places of fewer are left out.
    public var leastGroup = 1

    /// The longest period shown by hours, in hours.
    public static let mostHours: Int64 = 72

    /// Makes the default rules.
    public init() {}
  }

  /// Adds the counted data as the tables that the rules select.
  public mutating func take(_ counts: SummaryCounts, _ rules: Rules = Rules()) {
    let counts = rules.leastGroup > 1 ? counts.withoutPlaces(ofFewerThan: rules.leastGroup) : counts
    let groups = Groups(counts)
    totals = Totals(addresses: counts.addresses.distinct, hits: groups.hits)
    timeZone = counts.timeline.zone.name
    period = counts.timeline.period
    tables = SummaryTable.Kind.allCases.compactMap { kind in
      switch kind {
      case .country, .network, .city, .status, .source: groups.table(kind)
      case .address:
        AddressRows(counts, hits: groups.hits, anonymizer: rules.anonymizer)
          .table(most: max(rules.addresses, SummaryTable.leastAddresses))
      case .hour, .day:
        counts.timeline.kinds(rules).contains(kind)
          ? counts.timeline.table(kind, hits: groups.hits) : nil
      }
    }
    if rules.hasChoices {
      choices = ChoiceCounting(counts, tables.filter(isShown), anonymizer: rules.anonymizer)
        .choices(addresses: SummaryTable.leastAddresses)
    }
    if let anonymizer = rules.anonymizer { replaceAddresses(by: anonymizer) }
    let inputs = rules.inputs.map { rules.anonymizer?.text($0) ?? $0 }
    let counted = Combinations(
      counts,
      inputs: inputs,
      hits: groups.hits,
      anonymizer: rules.anonymizer
    )
    guard let counted else { return }
    combinations = rules.groupings.map { counted.table($0, most: rules.combinations) }
  }

  /// Replaces addresses in the title and in the texts of providers.
  private mutating func replaceAddresses(by anonymizer: Anonymizer) {
    title = anonymizer.text(title)
    choices?.replaceNotes { anonymizer.text($0) }
    for (number, table) in tables.enumerated() where !table.kind.isTimeline {
      for row in table.rows.indices {
        tables[number].rows[row].name = anonymizer.text(table.rows[row].name)
        guard table.kind != .address else { continue }
        tables[number].rows[row].key = anonymizer.text(table.rows[row].key)
      }
    }
  }
}

extension Timeline {
  /// The period from the first to the last hit.
  fileprivate var period: SummaryReport.Period? {
    range.map { range in
      let from = range.lowerBound.dividedDown(by: 1000)
      let to = range.upperBound.dividedDown(by: 1000)
      let words = SummaryReport.Period.Words(
        from: ClockFace(from, in: zone).moment,
        to: ClockFace(to, in: zone).moment
      )
      return SummaryReport.Period(from: from, to: to, words: words)
    }
  }

  fileprivate func kinds(_ rules: SummaryReport.Rules) -> [SummaryTable.Kind] {
    if let asked = rules.timelines { return asked }
    guard let range else { return [] }
    let length = range.upperBound - range.lowerBound
    return [length > SummaryReport.Rules.mostHours * 3_600_000 ? .day : .hour]
  }
}

extension SummaryTable.Row {
  static func share(_ hits: Int, of all: Int) -> Double {
    all == 0 ? 0 : Double(hits) / Double(all)
  }

  /// Whether a row precedes another one: by hits, then keys; those without a value are last.
  static func comesBefore(_ left: SummaryTable.Row, _ right: SummaryTable.Row) -> Bool {
    guard left.key.isEmpty == right.key.isEmpty else { return right.key.isEmpty }
    return left.hits != right.hits
      ? left.hits > right.hits : left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
  }
}

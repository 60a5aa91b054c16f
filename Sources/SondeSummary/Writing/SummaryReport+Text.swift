import SondeRecords
import SondeSystem

/// The style of a summary for people.
public struct SummaryStyle: Sendable {
  /// The width of the terminal.
  public var width = 80
  /// Whether bars and dashes may use non-ASCII characters.
  public var isUnicode = true
  /// Whether captions are highlighted.
  public var isColored = false

  /// Creates the default style.
  public init() {}
}

extension SummaryReport {
  /// The tables for people, with bars, in lines that fit the width.
  public func text(_ selection: SummarySelection, _ style: SummaryStyle) -> String {
    let found = tables(selection)
    let tables = SummaryTable.Kind.allCases.compactMap { kind in
      let isNamed = selection.kinds?.contains(kind) ?? false
      let table = found.first { $0.kind == kind && (isNamed || $0.isOfInterest) }
      // A table requested by name is shown even if it is empty.
      return (table ?? (isNamed ? SummaryTable(kind: kind, rows: []) : nil)).map {
        ShownTable($0, of: self[kind] ?? $0)
      }
    }
    let layout = SummaryLayout(of: tables, style)
    let heading = [title, totalWords] + periodWords(style)
    var lines = heading.enumerated().map { index, words in
      layout.heading(words, isBold: index == 0)
    }
    for table in tables { lines += [""] + layout.lines(of: table) }
    for table in combinations { lines += [""] + table.lines(style) }
    return lines.map { $0 + "\n" }.joined()
  }

  private var totalWords: String {
    let addresses = totals.addresses == 1 ? "address" : "addresses"
    let hits = totals.hits == 1 ? "hit" : "hits"
    return "\(grouped(totals.addresses)) \(addresses), \(grouped(totals.hits)) \(hits)"
      + (isPartial ? ", so far" : "")
  }

  /// The period with its time zone, on several lines if necessary.
  private func periodWords(_ style: SummaryStyle) -> [String] {
    guard let words = period?.words else { return [] }
    let from = words.from + (style.isUnicode ? " –" : " -")
    let ways = [["\(from) \(words.to) \(timeZone)"], [from, "\(words.to) \(timeZone)"]]
    return ways.first { $0.allSatisfy { $0.count <= style.width } } ?? [from, words.to, timeZone]
  }
}

extension SummaryTable.Kind {
  /// The title above the table.
  public var caption: String {
    switch self {
    case .country: "Countries"
    case .network: "Networks"
    case .city: "Cities"
    case .status: "Statuses"
    case .source: "Sources"
    case .address: "Addresses"
    case .hour: "Hours"
    case .day: "Days"
    }
  }
}

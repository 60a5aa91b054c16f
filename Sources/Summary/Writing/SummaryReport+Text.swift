import Records

/// How a summary is shown to a person.
public struct SummaryStyle: Sendable {
  /// The columns of the terminal.
  public var width = 80
  /// Whether bars and dashes may be other characters than those of ASCII.
  public var isUnicode = true
  /// Whether captions stand out.
  public var isColored = false

  /// Makes the usual style.
  public init() {}
}

extension SummaryReport {
  /// The tables for a person, with bars.
  ///
  /// - Parameters:
  ///   - selection: Which rows are shown.
  ///   - style: How.
  /// - Returns: The lines, which fit the width.
  public func text(_ selection: SummarySelection, _ style: SummaryStyle) -> String {
    let tables = tables(selection)
    let layout = SummaryLayout(of: tables, style)
    let heading = [title, totalWords, periodWords(style)].compactMap(\.self)
    var lines = heading.enumerated().map { index, words in
      layout.heading(words, isBold: index == 0)
    }
    for table in tables {
      lines += ["", layout.caption(of: table)]
      let most = table.rows.map(\.hits).max() ?? 0
      for (row, label) in zip(table.rows, table.labels) {
        lines.append(layout.line(of: row, label, in: table.kind, most: most))
      }
      let rest = table.count - table.rows.count
      if rest > 0 { lines.append("  \(grouped(rest)) more") }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private var totalWords: String {
    let addresses = totals.addresses == 1 ? "address" : "addresses"
    let hits = totals.hits == 1 ? "hit" : "hits"
    return "\(grouped(totals.addresses)) \(addresses), \(grouped(totals.hits)) \(hits)"
      + (isPartial ? ", so far" : "")
  }

  private func periodWords(_ style: SummaryStyle) -> String? {
    period?.words.map { $0.from + (style.isUnicode ? " – " : " - ") + $0.to + " " + timeZone }
  }
}

extension SummaryTable.Kind {
  /// What the table is called.
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

/// Where the columns of all tables stand.
private struct SummaryLayout {
  private static let gap = 2
  private static let longestBar = 40

  private let style: SummaryStyle
  private let label: Int
  /// The widths of the columns of numbers; those without room are 0.
  private let addresses: Int
  private let hits: Int
  private let share: Int
  private let bar: Int

  init(of tables: [SummaryTable], _ style: SummaryStyle) {
    self.style = style
    let rows = tables.flatMap(\.rows)
    let width = max(style.width, 20)
    hits = max("hits".count, grouped(rows.map(\.hits).max() ?? 0).count)
    let most = rows.compactMap(\.addresses).max()
    addresses =
      most.map { width < 64 ? 0 : max("addresses".count, grouped($0).count) } ?? 0
    share = width < 48 ? 0 : "100.0 %".count
    let numbers = [addresses, hits, share].filter { $0 > 0 }.reduce(0) { $0 + $1 + Self.gap }
    let rest = max(8, width - numbers)
    let longest = tables.flatMap(\.labels).map(columnsForPerson).max()
    let wanted = max("Addresses".count, longest ?? 0)
    let room = min(wanted, max(12, rest * 3 / 5))
    let bar = min(Self.longestBar, rest - room - Self.gap)
    self.bar = bar < 4 ? 0 : bar
    label = min(wanted, self.bar == 0 ? rest : rest - self.bar - Self.gap)
  }

  /// A line above the tables.
  func heading(_ words: String, isBold: Bool) -> String {
    let text = cutForPerson(words, to: style.width)
    return isBold ? standingOut(text) : text
  }

  /// The caption of a table, and of its columns.
  func caption(of table: SummaryTable) -> String {
    let addresses = table.kind.isTimeline ? "" : "addresses"
    return standingOut(
      filled(table.kind.caption, addresses, in: table.kind) + column("hits", hits)
        + column("share", share)
    )
  }

  /// A row, with what stands before its numbers.
  func line(
    of row: SummaryTable.Row,
    _ label: String,
    in kind: SummaryTable.Kind,
    most: Int
  ) -> String {
    let bar = bar(row.hits, of: most)
    return filled(label, row.addresses.map(grouped) ?? "", in: kind)
      + column(grouped(row.hits), hits) + column(Self.percent(row.share), share)
      + (bar.isEmpty ? "" : String(repeating: " ", count: Self.gap) + bar)
  }

  /// A label and a number of addresses, whose column an address has for its own label.
  private func filled(
    _ text: String,
    _ number: String,
    in kind: SummaryTable.Kind
  ) -> String {
    let isWide = kind == .address && addresses > 0
    let width = isWide ? label + Self.gap + addresses : label
    let cut = cutForPerson(text, to: width)
    let filled = cut + String(repeating: " ", count: max(0, width - columnsForPerson(cut)))
    return isWide ? filled : filled + column(number, addresses)
  }

  private func column(_ text: String, _ width: Int) -> String {
    guard width > 0 else { return "" }
    return String(repeating: " ", count: Self.gap + max(0, width - text.count)) + text
  }

  private func standingOut(_ text: String) -> String {
    style.isColored ? "\u{1b}[1m" + text + "\u{1b}[0m" : text
  }

  /// A share in tenths of a percent.
  private static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }

  /// A bar as long as some hits are of the most.
  private func bar(_ hits: Int, of most: Int) -> String {
    guard bar > 0, most > 0, hits > 0 else { return "" }
    let steps = style.isUnicode ? 8 : 1
    let length = Double(hits) / Double(most) * Double(bar * steps)
    let (whole, rest) = max(1, Int(length.rounded())).quotientAndRemainder(dividingBy: steps)
    let full = String(repeating: style.isUnicode ? "█" : "#", count: whole)
    return rest > 0 ? full + Self.eighths[rest - 1] : full
  }

  /// The left blocks of Unicode (U+2588 to U+258F), from one eighth on.
  private static let eighths = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}

extension SummaryTable {
  /// What stands before the numbers of each row.
  fileprivate var labels: [String] {
    let keys = rows.map { $0.key.isEmpty ? "(not known)" : $0.key }
    switch kind {
    case .city, .status, .source: return keys
    case .hour, .day: return rows.map(\.name)
    case .country, .network, .address:
      let width = zip(rows, keys).map { $0.name.isEmpty ? 0 : columnsForPerson($1) }.max() ?? 0
      return zip(rows, keys).map { row, key in
        guard !row.name.isEmpty, row.name != key else { return key }
        return key + String(repeating: " ", count: width - columnsForPerson(key) + 2) + row.name
      }
    }
  }
}

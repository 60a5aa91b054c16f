import SondeRecords
import SondeSystem

/// The columns of all tables.
struct SummaryLayout {
  private static let gap = 2
  private static let longestBar = 40

  private let style: SummaryStyle
  private let label: Int
  /// The widths of the number columns; 0 for those that do not fit.
  private let addresses: Int
  private let hits: Int
  private let share: Int
  private let bar: Int

  init(of tables: [ShownTable], _ style: SummaryStyle) {
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
    // In a narrow terminal, names are more useful than bars.
    let room = min(wanted, max(12, width < 48 ? rest * 3 / 4 : rest * 3 / 5))
    let bar = min(Self.longestBar, rest - room - Self.gap)
    self.bar = bar < 4 ? 0 : bar
    label = min(wanted, self.bar == 0 ? rest : rest - self.bar - Self.gap)
  }

  /// A line above the tables.
  func heading(_ words: String, isBold: Bool) -> String {
    let text = cut(words, to: style.width)
    return isBold ? standingOut(text) : text
  }

  /// The lines of a table, its caption first.
  func lines(of table: ShownTable) -> [String] {
    let most = table.rows.map(\.hits).max() ?? 0
    let lines = table.lines.map { line in
      switch line {
      case .row(let row):
        self.line(of: table.rows[row], table.labels[row], in: table.kind, most: most)
      case .note(let words): cut("  " + words, to: style.width)
      }
    }
    return [caption(of: table)] + lines
  }

  /// The caption of a table, and of its columns.
  private func caption(of table: ShownTable) -> String {
    let addresses = table.kind.isTimeline ? "" : "addresses"
    return standingOut(
      filled(table.kind.caption, addresses, in: table.kind) + column("hits", hits)
        + column("share", share)
    )
  }

  private func line(
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

  /// A label and a number of addresses; the label of an address also uses the number's column.
  private func filled(_ text: String, _ number: String, in kind: SummaryTable.Kind) -> String {
    let isWide = kind == .address && addresses > 0
    let width = isWide ? label + Self.gap + addresses : label
    let cut = cut(text, to: width)
    let filled = cut + String(repeating: " ", count: max(0, width - columnsForPerson(cut)))
    return isWide ? filled : filled + column(number, addresses)
  }

  private func cut(_ text: String, to width: Int) -> String {
    cutForPerson(text, to: width, isUnicode: style.isUnicode)
  }

  private func column(_ text: String, _ width: Int) -> String {
    guard width > 0 else { return "" }
    return String(repeating: " ", count: Self.gap + max(0, width - text.count)) + text
  }

  private func standingOut(_ text: String) -> String {
    style.isColored ? "\u{1b}[1m" + text + "\u{1b}[0m" : text
  }

  /// A share in tenths of a percent.
  static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }

  /// A bar, in proportion to the largest number of hits.
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

import SondeRecords
package import SondeSummary
import SondeSystem

extension OutageReport {
  /// The tables for people, in lines that fit the width; nothing where nothing was kept.
  package func text(_ style: SummaryStyle, title: String? = nil) -> String {
    guard !summaries.isEmpty else { return "" }
    let dash = style.isUnicode ? "–" : "-"
    let period =
      "\(zone.moment(of: span.lowerBound)) \(dash) \(zone.moment(of: span.upperBound)) \(zone.name)"
    let found = outages
    let outages = PersonTable(
      caption: "Outages",
      header: WatchedStretch.headings,
      rows: found.map(cells)
    )
    let summary = PersonTable(
      caption: "Summary",
      header: OutageSummary.headings,
      rows: summaries.map(\.cells),
      numbers: [1, 3]
    )
    return ([title].compactMap(\.self) + [period, ""]).map { $0 + "\n" }.joined()
      + outages.text(style) + "\n" + summary.text(style)
  }

  /// The cells of an outage for people, below ``WatchedStretch/headings``.
  package func cells(_ outage: WatchedStretch) -> [String] {
    let (start, end) = (zone.moment(of: outage.start), zone.moment(of: outage.end))
    // Mostly of the same day, which is said once.
    let day = start.prefix(11)
    let shownEnd = end.hasPrefix(day) ? String(end.dropFirst(day.count)) : end
    return [
      start, outage.isOngoing ? "goes on" : shownEnd, outage.lengthForPerson,
      outage.state.rawValue, outage.cause ?? "", outage.interface ?? "", outage.endpoint,
    ]
  }
}

extension WatchedStretch {
  /// The columns for people.
  package static let headings = [
    "start", "end", "length", "state", "cause", "interface", "endpoint",
  ]

  /// The length in words, as the least where the end is estimated.
  package var lengthForPerson: String {
    (isEstimated ? "at least " : "") + length.timeForPerson
  }
}

extension OutageSummary {
  /// The columns for people.
  package static let headings = [
    "endpoint", "availability", "watched", "outages", "longest", "mean", "offline", "degraded",
  ]

  /// The cells for people, below ``headings``.
  package var cells: [String] {
    [
      endpoint, availabilityForPerson ?? "", watched.timeForPerson, grouped(outages),
      longest?.timeForPerson ?? "", mean?.timeForPerson ?? "", offline.timeForPerson,
      degraded.timeForPerson,
    ]
  }

  /// The availability in percent with three decimals; `nil` where nothing was watched.
  package var availabilityForPerson: String? {
    guard let availability else { return nil }
    // What is only nearly always available is not shown as if it were.
    let most = offline == 0 ? 100_000.0 : 99_999
    let thousandths = Int(min((availability * 100_000).rounded(), most))
    let decimals = String(thousandths % 1000 + 1000).dropFirst()
    return "\(thousandths / 1000).\(decimals) %"
  }
}

extension Int64 {
  /// Milliseconds in words.
  package var timeForPerson: String { Duration.milliseconds(self).forPerson }
}

/// A table in columns as wide as their contents; those that do not fit side by side follow on lines
/// of their own.
private struct PersonTable {
  var caption: String
  var header: [String]
  var rows: [[String]]
  /// The columns whose cells end at the same place.
  var numbers: Set<Int> = []

  func text(_ style: SummaryStyle) -> String {
    let caption = style.isColored ? "\u{1b}[1m\(caption)\u{1b}[0m" : caption
    guard !rows.isEmpty else { return "\(caption)\n  none\n" }
    let lines = [header] + rows.map { $0.map(escapedForPerson) }
    let widths = header.indices.map { column in
      lines.map { columnsForPerson($0[column]) }.max() ?? 0
    }
    let parts = self.parts(of: widths, within: style.width)
    let body = lines.flatMap { cells in
      let padded = cells.indices.map { column in
        let blanks = String(repeating: " ", count: widths[column] - columnsForPerson(cells[column]))
        return numbers.contains(column) ? blanks + cells[column] : cells[column] + blanks
      }
      return parts.map { part in
        let line = indent(part) + padded[part].joined(separator: "  ")
        let shown = String(line.reversed().drop { $0 == " " }.reversed())
        return cutForPerson(shown, to: style.width, isUnicode: style.isUnicode) + "\n"
      }
    }
    return caption + "\n" + body.joined()
  }

  private func indent(_ part: Range<Int>) -> String { part.lowerBound == 0 ? "  " : "    " }

  /// The columns of each line of a row.
  private func parts(of widths: [Int], within limit: Int) -> [Range<Int>] {
    var (parts, used) = ([0..<1], 2 + widths[0])
    for (column, width) in widths.enumerated().dropFirst() {
      let part = parts[parts.count - 1]
      if limit - used >= 2 + width {
        parts[parts.count - 1] = part.lowerBound..<column + 1
        used += 2 + width
      } else {
        parts.append(column..<column + 1)
        used = 4 + width
      }
    }
    return parts
  }
}

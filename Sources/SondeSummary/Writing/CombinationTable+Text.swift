import SondeRecords
import SondeSystem

extension CombinationTable {
  private static let gap = "  "

  /// The table for people: a line for the names and one for each row, cut to the width.
  func lines(_ style: SummaryStyle) -> [String] {
    let hasTime = rows.contains { $0.firstSeen != nil }
    // An address has one, which every row would repeat.
    let countsAddresses = !grouping.hasAddress
    var names = grouping.parts.map(\.name) + ["hits"]
    if countsAddresses { names.append("addresses") }
    names.append("share")
    if hasTime { names += ["first_seen", "last_seen"] }
    let texts = rows.map { row in
      var cells = row.values.map { $0 ?? "" } + [grouped(row.hits)]
      if countsAddresses { cells.append(grouped(row.addresses)) }
      cells.append(SummaryLayout.percent(row.share))
      if hasTime { cells += [row.first ?? "", row.last ?? ""] }
      return cells
    }
    // As wide as needed, but a long text leaves room for others.
    let most = max(12, style.width / 3)
    let widths = names.indices.map { column in
      min(most, ([names] + texts).map { columnsForPerson($0[column]) }.max() ?? 0)
    }
    let numbers = grouping.parts.count..<names.count - (hasTime ? 2 : 0)
    func line(_ cells: [String]) -> String {
      let filled = cells.enumerated().map { column, cell in
        let cut = cutForPerson(cell, to: widths[column], isUnicode: style.isUnicode)
        let room = String(repeating: " ", count: max(0, widths[column] - columnsForPerson(cut)))
        return numbers.contains(column) ? room + cut : cut + room
      }
      let text = filled.joined(separator: Self.gap)
      let end = text.lastIndex { $0 != " " }
      let trimmed = end.map { String(text[...$0]) } ?? ""
      return cutForPerson(trimmed, to: style.width, isUnicode: style.isUnicode)
    }
    let title = line(names)
    let heading = style.isColored ? "\u{1b}[1m" + title + "\u{1b}[0m" : title
    let rest = count - rows.count
    return [heading] + texts.map(line) + (rest > 0 ? ["  \(grouped(rest)) more"] : [])
  }
}

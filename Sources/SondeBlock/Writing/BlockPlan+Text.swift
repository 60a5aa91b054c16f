import SondeRecords
import SondeSystem

extension BlockPlan {
  /// The set for people, in lines that fit the width as far as numbers allow.
  public func text(width: Int, isUnicode: Bool) -> String {
    let head = ["Network", "bad", "good", "other", "addresses", "Country and network"]
    let rows = rules.map { rule in
      ["\(rule.prefix)", Self.words(rule.bad), Self.words(rule.good), Self.words(rule.other)]
        + [grouped(rule.addresses), rule.origin.text]
    }
    let totals = [
      "Total", Self.words(self.totals.badCovered), Self.words(self.totals.goodTouched),
      Self.words(self.totals.other), grouped(self.totals.addresses), "",
    ]
    let all = [head] + rows + [totals]
    let widths = head.indices.map { column in all.map { columnsForPerson($0[column]) }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let parts = cells.indices.dropLast().map { column -> String in
        let space = String(repeating: " ", count: widths[column] - columnsForPerson(cells[column]))
        return column == 0 ? cells[column] + space : space + cells[column]
      }
      let start = parts.joined(separator: "  ")
      let rest = max(8, width - columnsForPerson(start) - 2)
      let end = cutForPerson(cells[cells.count - 1], to: rest, isUnicode: isUnicode)
      return end.isEmpty ? start : start + "  " + end
    }
    var lines = [line(head)]
    for (rule, row) in zip(rules, rows) {
      lines.append(line(row))
      lines += rule.touched.map { "  good: \($0.address), \(Self.words($0.hits))" }
    }
    lines.append(line(totals))
    return (lines + leftLines).map { $0 + "\n" }.joined()
  }

  private var leftLines: [String] {
    let areSpared = besideSpared > 0 && besideSpared == left[.good]
    let reasons: [(LeftReason, String)] = [
      (.enough, "as enough is"),
      (
        .good,
        areSpared
          ? "as even the longest prefixes have addresses that no rule may touch"
          : "as no more good ones may be touched"
      ),
      (.rules, "as there may be no more rules"),
    ]
    let found = reasons.filter { (left[$0.0] ?? 0) > 0 }
    var lines = found.flatMap { reason, words in
      ["Not covered, \(words): \(Self.words(left[reason] ?? 0)) bad"]
        + top.filter { $0.why == reason }.map { "  \($0.address), \(Self.words($0.bad)) bad" }
    }
    if totals.never > 0 { lines.append("Never touched: \(Self.words(totals.never)) bad") }
    return lines.isEmpty ? [] : [""] + lines
  }

  /// A number with its thousands apart.
  private static func words(_ number: UInt64) -> String { grouped(Int(clamping: number)) }
}

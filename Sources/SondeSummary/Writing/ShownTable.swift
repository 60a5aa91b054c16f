import SondeRecords
import SondeSystem

/// A table as shown to people, with notes for omitted rows.
struct ShownTable {
  /// A line below the caption.
  enum Line {
    /// A row, by its index in ``ShownTable/rows``.
    case row(Int)
    /// A note instead of omitted rows.
    case note(String)
  }

  /// The longest period without a hit that is shown row by row.
  private static let longestGap = 24

  let kind: SummaryTable.Kind
  let rows: [SummaryTable.Row]
  let lines: [Line]
  /// The labels before the numbers of each row.
  let labels: [String]

  /// Shows the selected rows of a table, and always that of missing values of the whole one.
  init(_ table: SummaryTable, of whole: SummaryTable) {
    kind = table.kind
    let isCut = table.rows.count < whole.rows.count
    let unknown = isCut ? whole.rows.last.flatMap { $0.key.isEmpty ? $0 : nil } : nil
    rows = table.rows + (unknown.map { [$0] } ?? [])
    labels = Self.labels(of: kind, rows)
    let rest = table.count - rows.count
    if rows.isEmpty {
      lines = [.note("none")]
    } else if kind.isTimeline {
      lines = Self.timeline(rows, kind)
    } else {
      let more = rest > 0 ? [Line.note("\(grouped(rest)) more")] : []
      lines =
        table.rows.indices.map(Line.row) + more + (unknown == nil ? [] : [.row(rows.count - 1)])
    }
  }

  /// The rows of a timeline, with a note for a long period without hits.
  private static func timeline(_ rows: [SummaryTable.Row], _ kind: SummaryTable.Kind) -> [Line] {
    let length = kind == .hour ? 3600.0 : Double(secondsOfDay)
    var (lines, next): ([Line], Int) = ([], 0)
    for index in rows.indices where rows[index].hits > 0 {
      // Either all rows without hits exist, or none.
      let (empty, before) = (next..<index, max(0, next - 1))
      var missing = empty.count
      if let start = rows[before].start, let end = rows[index].start, before < index {
        missing = Int((Double(end - start) / length).rounded()) - 1
      }
      if missing > (empty.isEmpty ? 0 : longestGap) {
        let unit = (kind == .hour ? "hour" : "day") + (missing == 1 ? "" : "s")
        lines.append(.note("\(grouped(missing)) \(unit) without a hit"))
      } else {
        lines += empty.map(Line.row)
      }
      lines.append(.row(index))
      next = index + 1
    }
    return lines
  }

  private static func labels(of kind: SummaryTable.Kind, _ rows: [SummaryTable.Row]) -> [String] {
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

import SondeRecords
import SondeSummary
import SondeSystem

/// The largest number of rows for browsers without scripts.
private let rowLimit = 10

/// Appends the first rows of each table, for browsers without scripts.
func appendTables(of report: SummaryReport, to page: inout [UInt8]) {
  for table in report.tables where !table.kind.isTimeline && report.isShown(table) {
    append(table, to: &page)
  }
}

private func append(_ table: SummaryTable, to page: inout [UInt8]) {
  let isNamed = table.kind.isNamed
  page += "<section class=\"table\"><div class=\"rows\"><table>".utf8
  page += "<caption>\(table.kind.caption)</caption>\n<thead><tr>".utf8
  let kind = table.kind.rawValue
  append(header: kind.prefix(1).uppercased() + kind.dropFirst(), to: &page)
  if isNamed { append(header: "Name", to: &page) }
  for name in ["Addresses", "Hits", "Share"] { append(header: name, isNumber: true, to: &page) }
  page += "</tr></thead>\n<tbody>\n".utf8
  // The row without a value is the last one, and is always included.
  let unknown = table.rows.dropFirst(rowLimit).suffix(1).filter(\.key.isEmpty)
  for row in table.rows.prefix(rowLimit) + unknown {
    page += "<tr>".utf8
    append(cell: row.key.isEmpty ? "not known" : row.key, to: &page)
    if isNamed { append(cell: row.name, to: &page) }
    let share = "\((row.share * 1000).rounded() / 10) %"
    for number in [row.addresses.map(grouped) ?? "", grouped(row.hits), share] {
      append(cell: number, isNumber: true, to: &page)
    }
    page += "</tr>\n".utf8
  }
  page += "</tbody></table></div>".utf8
  let rest = table.count - min(rowLimit, table.rows.count) - unknown.count
  if rest > 0 { page += "<p class=\"soft\">\(grouped(rest)) more</p>".utf8 }
  page += "</section>\n".utf8
}

private func append(header name: String, isNumber: Bool = false, to page: inout [UInt8]) {
  page += "<th scope=\"col\"\(isNumber ? " class=\"number\"" : "")>\(name)</th>".utf8
}

private func append(cell text: String, isNumber: Bool = false, to page: inout [UInt8]) {
  page += (isNumber ? "<td class=\"number\">" : "<td>").utf8
  appendMarkupText(text, to: &page)
  page += "</td>".utf8
}

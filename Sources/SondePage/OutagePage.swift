package import SondeAlerts
import SondeRecords
import SondeSummary
import SondeSystem

/// Writes outages as a self-contained HTML page in UTF-8, without a server, files or a network.
package func page(of report: OutageReport, title: String?) -> [UInt8] {
  let style = PageResource.theme + PageResource.pageStyle + PageResource.outagesStyle
  let script = PageResource.outagesScript
  var page: [UInt8] = []
  for piece in pieces(of: PageResource.outagesTemplate) {
    switch piece {
    case .markup(let bytes): page += bytes
    case .place("policy"): page += policy(style: style, script: script).utf8
    case .place("title"): appendMarkupText(title ?? "Outages", to: &page)
    case .place("style"): page += style
    case .place("script"): page += script
    case .place("period"): page += report.periodWords.utf8
    case .place("figures"): appendFigures(of: report, to: &page)
    case .place("timelines"): appendTimelines(of: report, to: &page)
    case .place("tables"): appendTables(of: report, to: &page)
    case .place: break
    }
  }
  return page
}

extension OutageReport {
  fileprivate var periodWords: String {
    let made = zone.moment(of: Timestamp.now.milliseconds)
    return "\(zone.moment(of: span.lowerBound)) – \(zone.moment(of: span.upperBound)) "
      + "(\(escapedZone)). Made \(made)"
  }

  /// Names of zones are files' names, which may hold anything.
  private var escapedZone: String {
    var text: [UInt8] = []
    appendMarkupText(zone.name, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

private func appendFigures(of report: OutageReport, to page: inout [UInt8]) {
  let offline = report.summaries.reduce(0) { $0 + $1.outages }
  var figures = [("Outages", grouped(offline))]
  // Of several endpoints each has its own.
  if let only = report.summaries.first, report.summaries.count == 1 {
    figures += [
      ("Availability", only.availabilityForPerson ?? "not watched"),
      ("Watched", only.watched.timeForPerson),
      ("Longest", only.longest?.timeForPerson ?? "none"),
    ]
  }
  for (name, text) in figures { page += "<div><dt>\(name)</dt><dd>\(text)</dd></div>\n".utf8 }
}

// MARK: - Tables

private func appendTables(of report: OutageReport, to page: inout [UInt8]) {
  let names = report.summaries.count > 1
  HTMLTable(
    caption: "Outages",
    header: WatchedStretch.headings.map(capitalized),
    order: ("Start", "ascending"),
    rows: report.outages.map { outage in
      cells(report.cells(outage), keys: [0: outage.start, 1: outage.end, 2: outage.length])
    }
  ).append(to: &page)
  HTMLTable(
    caption: "Summary",
    header: OutageSummary.headings.map(capitalized),
    order: ("Endpoint", "ascending"),
    rows: report.summaries.map { cells($0.cells, keys: $0.keys) }
  ).append(to: &page)
  HTMLTable(
    caption: "Causes",
    header: (names ? ["Endpoint"] : []) + ["Cause", "Outages", "Offline"],
    order: names ? nil : ("Outages", "descending"),
    rows: report.summaries.flatMap { summary in
      summary.causes.map { cause in
        (names ? [HTMLCell(summary.endpoint)] : []) + [
          HTMLCell(cause.name), HTMLCell(grouped(cause.outages), key: Int64(cause.outages)),
          HTMLCell(cause.offline.timeForPerson, key: cause.offline),
        ]
      }
    }
  ).append(to: &page)
  HTMLTable(
    caption: "Hours",
    header: (names ? ["Endpoint"] : []) + ["Hour", "Outages", "Offline"],
    order: names ? nil : ("Hour", "ascending"),
    rows: report.summaries.flatMap { summary in
      summary.hours.enumerated().map { hour, counts in
        (names ? [HTMLCell(summary.endpoint)] : []) + [
          HTMLCell("\(hour):00", key: Int64(hour)),
          HTMLCell(grouped(counts.outages), key: Int64(counts.outages)),
          HTMLCell(counts.offline.timeForPerson, key: counts.offline),
        ]
      }
    }
  ).append(to: &page)
}

extension OutageSummary {
  /// The numbers that cells are ordered by, by their columns in ``headings``.
  fileprivate var keys: [Int: Int64] {
    let numbers: [Int64?] = [
      nil, availability.map { Int64(($0 * 1e9).rounded()) }, watched, Int64(outages), longest, mean,
      offline, degraded,
    ]
    let keys = numbers.enumerated().compactMap { column, key in key.map { (column, $0) } }
    return Dictionary(uniqueKeysWithValues: keys)
  }
}

private func cells(_ texts: [String], keys: [Int: Int64]) -> [HTMLCell] {
  texts.enumerated().map { column, text in HTMLCell(text, key: keys[column]) }
}

/// A cell, and the number that it is ordered by if its text does not do.
private struct HTMLCell {
  let text: String
  let key: Int64?

  init(_ text: String, key: Int64? = nil) { (self.text, self.key) = (text, key) }
}

private func capitalized(_ word: String) -> String {
  word.prefix(1).uppercased() + word.dropFirst()
}

private struct HTMLTable {
  let caption: String
  let header: [String]
  /// The column by which the rows are in order, and how.
  let order: (column: String, way: String)?
  let rows: [[HTMLCell]]

  /// Those of them end at the same place.
  private static let numbers: Set = [
    "Length", "Availability", "Watched", "Offline", "Degraded", "Outages", "Longest", "Mean",
  ]

  func append(to page: inout [UInt8]) {
    let id = caption.lowercased()
    page += "<section class=\"table\" id=\"\(id)\"><div class=\"rows\" role=\"region\" ".utf8
    page += "tabindex=\"0\" aria-labelledby=\"caption-\(id)\"><table>".utf8
    page += "<caption id=\"caption-\(id)\">\(caption)</caption>\n<thead><tr>".utf8
    for name in header {
      let order = name == order?.column ? " aria-sort=\"\(order?.way ?? "")\"" : ""
      page += "<th scope=\"col\"\(style(of: name))\(order)>\(name)</th>".utf8
    }
    page += "</tr></thead>\n<tbody>\n".utf8
    for row in rows {
      page += "<tr>".utf8
      for (name, cell) in zip(header, row) {
        let key = cell.key.map { " data-key=\"\($0)\"" } ?? ""
        page += "<td\(style(of: name))\(key)>".utf8
        appendMarkupText(cell.text, to: &page)
        page += "</td>".utf8
      }
      page += "</tr>\n".utf8
    }
    if rows.isEmpty {
      page += "<tr><td class=\"unknown\" colspan=\"\(header.count)\">none</td></tr>\n".utf8
    }
    page += "</tbody></table></div></section>\n".utf8
  }

  private func style(of name: String) -> String {
    Self.numbers.contains(name) ? " class=\"number\"" : ""
  }
}

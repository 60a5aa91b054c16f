package import SondeAlerts
import SondeRecords
import SondeSummary
import SondeSystem

/// Writes outages as a self-contained HTML page in UTF-8, without a server, files or a network.
package func page(of report: OutageReport, title: String?) -> [UInt8] {
  let style = PageResource.theme + PageResource.pageStyle + PageResource.outagesStyle
  var page: [UInt8] = []
  for piece in pieces(of: PageResource.outagesTemplate) {
    switch piece {
    case .markup(let bytes): page += bytes
    case .place("policy"): page += policy(style: style).utf8
    case .place("title"): appendMarkupText(title ?? "Outages", to: &page)
    case .place("style"): page += style
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

/// The Content-Security-Policy, which permits only the page's own style.
private func policy(style: [UInt8]) -> String {
  """
  default-src 'none'; style-src 'sha256-\(sha256InBase64(style))'; img-src data:; \
  base-uri 'none'; form-action 'none'
  """
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
    rows: report.outages.map(report.cells)
  ).append(to: &page)
  HTMLTable(
    caption: "Summary",
    header: OutageSummary.headings.map(capitalized),
    rows: report.summaries.map(\.cells)
  ).append(to: &page)
  HTMLTable(
    caption: "Causes",
    header: (names ? ["Endpoint"] : []) + ["Cause", "Outages", "Offline"],
    rows: report.summaries.flatMap { summary in
      summary.causes.map { cause in
        (names ? [summary.endpoint] : [])
          + [cause.name, grouped(cause.outages), cause.offline.timeForPerson]
      }
    }
  ).append(to: &page)
  HTMLTable(
    caption: "Hours",
    header: (names ? ["Endpoint"] : []) + ["Hour", "Outages", "Offline"],
    rows: report.summaries.flatMap { summary in
      summary.hours.enumerated().map { hour, counts in
        (names ? [summary.endpoint] : [])
          + ["\(hour):00", grouped(counts.outages), counts.offline.timeForPerson]
      }
    }
  ).append(to: &page)
}

private func capitalized(_ word: String) -> String {
  word.prefix(1).uppercased() + word.dropFirst()
}

private struct HTMLTable {
  let caption: String
  let header: [String]
  let rows: [[String]]

  /// Those of them end at the same place.
  private static let numbers: Set = [
    "Length", "Availability", "Watched", "Offline", "Degraded", "Outages", "Longest", "Mean",
  ]

  func append(to page: inout [UInt8]) {
    let id = caption.lowercased()
    page += "<section class=\"table\" id=\"\(id)\"><div class=\"rows\" role=\"region\" ".utf8
    page += "tabindex=\"0\" aria-labelledby=\"caption-\(id)\"><table>".utf8
    page += "<caption id=\"caption-\(id)\">\(caption)</caption>\n<thead><tr>".utf8
    for name in header { page += "<th scope=\"col\"\(style(of: name))>\(name)</th>".utf8 }
    page += "</tr></thead>\n<tbody>\n".utf8
    for row in rows {
      page += "<tr>".utf8
      for (name, cell) in zip(header, row) {
        page += "<td\(style(of: name))>".utf8
        appendMarkupText(cell, to: &page)
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

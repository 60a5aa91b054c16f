import SondeRecords
public import SondeSummary
import SondeSystem

/// Writes a summary as a self-contained HTML page in UTF-8, without a server, files or a network.
///
/// All texts of the report are escaped.
public func page(of report: SummaryReport) -> [UInt8] {
  let json = ScriptJSON(report)
  let style = PageResource.theme + PageResource.pageStyle
  let script = PageResource.pageScript
  var page: [UInt8] = []
  page.reserveCapacity(json.bytes.count + 1 << 18)
  for piece in pieces(of: PageResource.pageTemplate) {
    switch piece {
    case .markup(let bytes): page += bytes
    case .place("policy"): page += policy(style: style, script: script).utf8
    case .place("title"): appendMarkupText(report.title, to: &page)
    case .place("style"): page += style
    case .place("script"): page += script
    case .place("outlines"): page += PageResource.outlines
    case .place("report"): page += json.bytes
    case .place("partial"): if report.isPartial { page += partial.utf8 }
    case .place("figures"): appendFigures(of: report, to: &page)
    case .place("tables"): appendTables(of: report, to: &page)
    case .place("credits"): appendCredits(of: report, to: &page)
    case .place: break
    }
  }
  return page
}

private let partial = """
  <p class="partial">The run was interrupted: there may be more in its inputs.</p>

  """

/// The Content-Security-Policy, which permits only the page's own style and script.
func policy(style: [UInt8], script: [UInt8]) -> String {
  """
  default-src 'none'; style-src 'sha256-\(sha256InBase64(style))'; \
  script-src 'sha256-\(sha256InBase64(script))'; img-src data:; base-uri 'none'; \
  form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'
  """
}

private func appendFigures(of report: SummaryReport, to page: inout [UInt8]) {
  append(figure: "Hits", report.totals.hits, to: &page)
  append(figure: "Addresses", report.totals.addresses, to: &page)
  for (name, kind) in [
    ("Countries", SummaryTable.Kind.country), ("Networks", .network), ("Cities", .city),
  ] {
    guard let table = report[kind] else { continue }
    // Addresses without a value are in a separate row.
    let isUnknown = table.rows.last?.key.isEmpty == true
    append(figure: name, table.count - (isUnknown ? 1 : 0), to: &page)
  }
}

private func append(figure name: String, _ number: Int, to page: inout [UInt8]) {
  page += "<div><dt>\(name)</dt><dd>\(grouped(number))</dd></div>\n".utf8
}

private func appendCredits(of report: SummaryReport, to page: inout [UInt8]) {
  let outlines = SummaryReport.DataCredit(name: "Outlines: Natural Earth", licence: "public domain")
  for credit in report.credits + [outlines] {
    page += "<li>".utf8
    if let link = credit.link {
      page += "<a href=\"".utf8
      appendMarkupText(link, to: &page)
      page += "\">".utf8
    }
    appendMarkupText(credit.name, to: &page)
    page += credit.link == nil ? ": ".utf8 : "</a>: ".utf8
    appendMarkupText(credit.licence ?? "terms of its own", to: &page)
    page += "</li>\n".utf8
  }
}

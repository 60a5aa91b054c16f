import SondePage
import SondeSummary
import Testing

@Suite struct PageExamples {
  @Test func summaryPage() {
    // example: Page
    var report = SummaryReport(title: "access.log", madeAt: 1_431_857_103)
    report.totals = SummaryReport.Totals(addresses: 1, hits: 3)
    let page = String(decoding: page(of: report), as: UTF8.self)
    #expect(page.contains("<title>access.log</title>"))
    // end
  }
}

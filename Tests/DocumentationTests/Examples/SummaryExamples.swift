import SondeSummary
import Testing

@Suite struct SummaryExamples {
  @Test func summaryReport() {
    // example: SummaryReport
    var report = SummaryReport(title: "access.log", madeAt: 1_431_857_103)
    report.totals = SummaryReport.Totals(addresses: 2, hits: 5)
    let row = SummaryTable.Row(
      key: "US",
      name: "United States",
      addresses: 2,
      hits: 5,
      share: 1,
      countryCode: "US"
    )
    report.tables = [SummaryTable(kind: .country, rows: [row])]
    #expect(report[.country]?.rows.first?.hits == 5)
    #expect(report[.city] == nil)
    // end
  }
}

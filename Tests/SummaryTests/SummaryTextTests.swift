import SondeRecords
import SondeSystem
import Testing

@testable import SondeSummary

@Suite struct SummaryTextTests {
  private static var report: SummaryReport {
    var report = SummaryReport(title: "a.log", madeAt: 0)
    report.totals = SummaryReport.Totals(addresses: 1234, hits: 56_789)
    let words = SummaryReport.Period.Words(from: "17 May 2015, 10:05", to: "17 May 2015, 11:00")
    report.period = SummaryReport.Period(from: 1_431_857_103, to: 1_431_860_400, words: words)
    report.tables = [
      SummaryTable(
        kind: .country,
        rows: [
          row("US", "United States", 1000, 50_000),
          row("JP", "日本", 200, 6000),
          row("", "", 34, 789),
        ]
      ),
      SummaryTable(
        kind: .hour,
        rows: [row("2015-05-17T10:00Z", "17 May 2015, 10:00", nil, 56_789)]
      ),
    ]
    return report
  }

  private static func row(_ key: String, _ name: String, _ addresses: Int?, _ hits: Int)
    -> SummaryTable.Row
  {
    SummaryTable.Row(
      key: key,
      name: name,
      addresses: addresses,
      hits: hits,
      share: Double(hits) / 56_789
    )
  }

  @Test func `a table of eighty columns looks so`() {
    let text = Self.report.text(SummarySelection(), SummaryStyle())
    #expect(
      text == """
        a.log
        1,234 addresses, 56,789 hits
        17 May 2015, 10:05 – 17 May 2015, 11:00 UTC

        Countries           addresses    hits    share
        US  United States       1,000  50,000   88.0 %  ████████████████████████████████
        JP  日本                  200   6,000   10.6 %  ███▉
        (not known)                34     789    1.4 %  ▌

        Hours                            hits    share
        17 May 2015, 10:00             56,789  100.0 %  ████████████████████████████████

        """
    )
  }

  @Test func `statuses and sources are shown if they tell something, or are named`() {
    var report = Self.report
    let ok = Self.row("ok", "ok", 4, 9)
    let (one, other) = (Self.row("libloc", "libloc", 4, 9), Self.row("mmdb", "mmdb", 1, 1))
    func captions(_ statuses: [String], _ sources: [SummaryTable.Row], named: Bool = false)
      -> [String]
    {
      let rows = statuses.map { Self.row($0, $0, 1, 1) }
      report.tables = [
        SummaryTable(kind: .status, rows: [ok] + rows), SummaryTable(kind: .source, rows: sources),
      ]
      var selection = SummarySelection()
      if named { selection.kinds = [.status, .source] }
      let text = report.text(selection, SummaryStyle())
      return ["Statuses", "Sources"].filter { text.contains("\n\($0) ") }
    }
    #expect(captions([], [one]) == [])
    #expect(captions(["unknown", "reserved"], [one, Self.row("", "", 1, 1)]) == [])
    for status in ["failed", "network_lost", "invalid"] {
      #expect(captions([status], [one]) == ["Statuses"])
    }
    #expect(captions([], [one, other]) == ["Sources"])
    #expect(captions([], [one], named: true) == ["Statuses", "Sources"])
  }

  @Test(arguments: Array(20...220))
  func `no line is wider than the terminal`(width: Int) {
    var style = SummaryStyle()
    for isUnicode in [true, false] {
      (style.width, style.isUnicode) = (width, isUnicode)
      let lines = Self.report.text(SummarySelection(), style).split(separator: "\n")
      #expect(lines.filter { columnsForPerson(String($0)) > width } == [])
      #expect(isUnicode || lines.allSatisfy { !$0.contains("█") && !$0.contains("–") })
      #expect(isUnicode || lines.allSatisfy { !$0.contains("…") })
    }
  }

  @Test func `what a provider says can neither move the cursor nor break a line`() {
    var report = Self.report
    report.title = "a\u{1b}[2J\nb"
    report.tables[0].rows[0].name = "x\u{202e}\r\u{7}y"
    let text = report.text(SummarySelection(), SummaryStyle())
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202e })
    #expect(text.split(separator: "\n").count == 9)
  }

  @Test func `rows beyond those asked for are counted`() {
    var selection = SummarySelection()
    selection.top = 1
    #expect(Self.report.text(selection, SummaryStyle()).contains("\n  1 more\n(not known) "))
    selection.kinds = [.hour]
    let text = Self.report.text(selection, SummaryStyle())
    #expect(text.contains("Hours") && !text.contains("Countries"))
  }

  @Test(arguments: [
    (80, ["17 May 2015, 10:05 – 17 May 2015, 11:00 America/Argentina/Rio_Gallegos"]),
    (60, ["17 May 2015, 10:05 –", "17 May 2015, 11:00 America/Argentina/Rio_Gallegos"]),
    (40, ["17 May 2015, 10:05 –", "17 May 2015, 11:00", "America/Argentina/Rio_Gallegos"]),
  ])
  func `the period is whole at every width`(width: Int, period: [String]) {
    var (report, style) = (Self.report, SummaryStyle())
    (report.timeZone, style.width) = ("America/Argentina/Rio_Gallegos", width)
    let lines = report.text(SummarySelection(), style).split(separator: "\n").map(String.init)
    #expect(Array(lines[2..<2 + period.count]) == period)
  }

  @Test func `values of CSV and TSV are quoted and escaped`() {
    var report = SummaryReport(title: "", madeAt: 0)
    report.tables = [
      SummaryTable(kind: .city, rows: [Self.row("a, \"b\"", "t\ta\\b\nc", 1, 2)])
    ]
    report.tables[0].rows[0].place = SummaryTable.Place(latitude: -1.5, longitude: 30)
    let selection = SummarySelection()
    let header = "table,key,name,addresses,hits,share,latitude,longitude\n"
    let csv = String(decoding: report.data(as: .csv, selection), as: UTF8.self)
    #expect(csv.hasPrefix(header + "city,\"a, \"\"b\"\"\",\"t\ta\\b\nc\",1,2,"))
    #expect(csv.hasSuffix(",-1.5,30\n"))
    let tsv = String(decoding: report.data(as: .tsv, selection), as: UTF8.self)
    #expect(
      tsv.split(separator: "\n").last?.hasPrefix("city\ta, \"b\"\tt\\ta\\\\b\\nc\t1\t2\t") == true
    )
  }
}

import Foundation
import Testing

@testable import SondePage
@testable import SondeSummary

@Suite struct PageTests {
  /// What an attacker would write into the database of a provider.
  private static let hostile =
    #"</script><script>alert(1)</script><img src=x onerror="alert(2)">{{script}}"#

  @Test func `a hostile text is nowhere in the page as markup`() {
    var report = SummaryReport(title: Self.hostile, madeAt: 0)
    let row = SummaryTable.Row(
      key: Self.hostile,
      name: Self.hostile,
      addresses: 1,
      hits: 1,
      share: 1
    )
    report.tables = SummaryTable.Kind.allCases.map { SummaryTable(kind: $0, rows: [row]) }
    report.losses = [SummaryReport.NetworkLoss(from: 0, to: nil, cause: Self.hostile)]
    report.credits = [SummaryReport.DataCredit(name: Self.hostile, licence: Self.hostile)]
    report.timeZone = Self.hostile
    let text = String(decoding: page(of: report), as: UTF8.self)
    #expect(!text.contains("<script>alert"))
    #expect(!text.contains("<img"))
    #expect(text.ranges(of: "</script>").count == 3)
  }

  @Test func `the page asks nobody and runs nothing but its own script`() throws {
    let text = String(decoding: page(of: SummaryReport(title: "t", madeAt: 0)), as: UTF8.self)
    let policy = try #require(text.firstMatch(of: /Content-Security-Policy" content="([^"]*)"/)).1
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(!policy.contains("unsafe") && !policy.contains("http"))
    let markup = text.replacing(
      /<script type="application\/json".*?<\/script>/.dotMatchesNewlines(),
      with: ""
    )
    #expect(markup.matches(of: /\b(src|href)="(?!#|data:)/).isEmpty)
  }

  @Test func `a page has a thousand addresses and says how many there are`() throws {
    let rows = (0..<1500).map { number in
      SummaryTable.Row(key: "10.0.\(number)", name: "", addresses: 1, hits: 1, share: 0)
    }
    var report = SummaryReport(title: "t", madeAt: 0)
    report.tables = [SummaryTable(kind: .address, rows: rows, count: 500_000)]
    let table = try #require(try data(of: report)["address"] as? [String: Any])
    #expect((table["key"] as? [String])?.count == 1000)
    #expect(table["count"] as? Int == 500_000)
  }

  @Test func `cities keep their keys, countries and places`() throws {
    let place = SummaryTable.Place(latitude: 37.386, longitude: -122.0838)
    let keys = ["Mountain View, California, US", "San José, California, US", "US", ""]
    let rows = keys.map { key in
      let country = key.isEmpty ? nil : "US"
      let known = key.contains(",") ? place : nil
      return SummaryTable.Row(
        key: key,
        name: "",
        addresses: 1,
        hits: 2,
        share: 0,
        place: known,
        countryCode: country
      )
    }
    var report = SummaryReport(title: "t", madeAt: 0)
    report.tables = [SummaryTable(kind: .city, rows: rows)]
    let table = try #require(try data(of: report)["city"] as? [String: Any])
    let names = try #require(table["name"] as? [String])
    let numbers = try #require(table["region"] as? [Int])
    let regions = try #require(table["regions"] as? [[String]])
    #expect(zip(names, numbers).map { $0 + regions[$1][0] } == keys)
    #expect(numbers.map { regions[$0][1] } == ["US", "US", "US", ""])
    #expect(regions.count == 3)
    #expect((table["latitude"] as? [Any])?.first as? Int == 3739)
    #expect((table["longitude"] as? [Any])?.last is NSNull)
  }

  @Test(arguments: [Double.nan, .infinity, 91, -1e300])
  func `a place that is none is left out`(latitude: Double) throws {
    let place = SummaryTable.Place(latitude: latitude, longitude: 0)
    let row = SummaryTable.Row(key: "a", name: "", addresses: 1, hits: 1, share: 1, place: place)
    var report = SummaryReport(title: "t", madeAt: 0)
    report.tables = [SummaryTable(kind: .city, rows: [row])]
    let table = try #require(try data(of: report)["city"] as? [String: Any])
    #expect((table["latitude"] as? [Any])?.first is NSNull)
  }

  @Test func `of more combinations than fit the smallest are left out`() throws {
    let side = 700
    let rows = (0..<side).map { number in
      SummaryTable.Row(key: "\(number)", name: "", addresses: 1, hits: 1, share: 0)
    }
    var choices = SummaryChoices()
    choices.panels = [.country, .status]
    choices.combinations = (1...side * side).reversed().map { hits in
      SummaryChoices.Combination(hits: hits, addresses: 1)
    }
    choices.rows = (0..<side * side).flatMap { [Int32($0 / side), Int32($0 % side)] }
    var report = SummaryReport(title: "t", madeAt: 0)
    report.named = [.status]
    report.tables = [
      SummaryTable(kind: .country, rows: rows), SummaryTable(kind: .status, rows: rows),
    ]
    report.choices = choices
    let size = page(of: report).count
    #expect(size > 3_000_000 && size < 4_000_000)
    let hits = try #require(try object(of: report)["choices"] as? [String: Any])["hits"]
    let shown = try #require(hits as? [Int])
    #expect(shown.min() == side * side - shown.count + 1)
  }

  /// The tables of a report as a page has them.
  private func data(of report: SummaryReport) throws -> [String: Any] {
    try #require(try object(of: report)["tables"] as? [String: Any])
  }

  private func object(of report: SummaryReport) throws -> [String: Any] {
    let text = String(decoding: page(of: report), as: UTF8.self)
    let json = try #require(text.firstMatch(of: /id="report">([^<]*)<\/script>/)).1
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return try #require(object)
  }
}

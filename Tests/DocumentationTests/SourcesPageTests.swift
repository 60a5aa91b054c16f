import Foundation
import SondeCatalog
import Testing

/// Holds the table of sources in the manual to the catalogue's rows.
@Suite struct SourcesPageTests {
  /// The cells of the table of a section, row by row.
  private func table(of section: String) throws -> [[String]] {
    let page = try Tree.lines(of: "Sources/sonde/sonde.docc/Sources.md")
    let start = try #require(page.firstIndex(of: "## \(section)"))
    let rows = page[start...].drop { !$0.hasPrefix("| --- ") }.dropFirst()
    return rows.prefix { $0.hasPrefix("| ") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test func `the table has every source with its columns, in order`() throws {
    let rows = try table(of: "All sources")
    #expect(rows.map { $0[0] } == AddedSource.shown.map { "`\($0.usage)`" })
    for (row, source) in zip(rows, AddedSource.shown) {
      try #require(row.count == 7)
      #expect(row[4] == source.columnNames.map { "`\($0)`" }.joined(separator: ", "))
      #expect((row[1] == "nobody") == !source.isAsked)
      if let licence = source.neededLists.first?.licence { #expect(row[6] == licence) }
    }
  }

  @Test func `the table of crawlers has their lists and domains`() throws {
    let page = try Tree.text(of: "Sources/sonde/sonde.docc/Sources.md")
    for crawler in Crawler.all {
      let list = crawler.list.map { "`\($0.name)`" } ?? "–"
      let domains = crawler.domains.map { "`\($0)`" }.joined(separator: ", ")
      let row = "| `\(crawler.name)` | \(list) | \(domains.isEmpty ? "–" : domains) |"
      #expect(page.contains(row), "\(row)")
    }
  }

  @Test func `the page on privacy names every source that is asked`() throws {
    let page = try Tree.text(of: "Sources/sonde/sonde.docc/ProvidersAndKeys.md")
    for source in AddedSource.shown where source.isAsked {
      #expect(page.contains("\n| `\(source.usage)` | "), "\(source.name)")
    }
  }
}

import Foundation
import Testing

/// The libraries that have a catalog.
private let libraries = [
  "System", "Addresses", "Records", "Reachability", "Transfer", "Providers", "Store", "Summary",
  "Page", "Tables", "Names", "Scanner", "Dashboard", "Accounts", "Web", "WebApp",
]

/// Holds the pages of the catalogs to the code that they speak of.
@Suite struct CatalogTests {
  @Test(arguments: libraries)
  func `every example of a page is one that is run, and every one that is run is in a page`(
    library: String
  ) throws {
    let shown = try pages(of: library).flatMap { try examples(ofPage: $0) }
    let run = try examples(ofSource: "Tests/DocumentationTests/Examples/\(library)Examples.swift")
    #expect(!run.isEmpty)
    #expect(Set(shown).subtracting(run).sorted() == [], "only in a page of \(library)")
    #expect(Set(run).subtracting(shown).sorted() == [], "only in the tests")
    #expect(shown.count == Set(shown).count, "shown twice")
  }

  @Test(arguments: libraries)
  func `every file that a page names is there`(library: String) throws {
    for page in try pages(of: library) {
      let names = try Tree.text(of: page)
        .matches(of: /`((?:Sources|Tests|Samples)\/[^`]*)`/)
        .map { String($0.output.1) }
      #expect(names.filter { !$0.contains("Example") && !Tree.exists($0) } == [], "in \(page)")
    }
  }

  @Test(arguments: libraries)
  func `every page that a page links is there`(library: String) throws {
    let pages = try pages(of: library)
    let names = Set(pages.compactMap { $0.split(separator: "/").last?.dropLast(3) })
    #expect(names.contains(Substring("Sonde\(library)")), "the front page")
    for page in pages {
      let links = try Tree.text(of: page).matches(of: /<doc:([^>#]+)[^>]*>/).map(\.output.1)
      #expect(links.filter { !names.contains($0) } == [], "in \(page)")
    }
  }

  private func pages(of library: String) throws -> [String] {
    let pages = Tree.files(in: "Sources/Sonde\(library)/Sonde\(library).docc", endingIn: ".md")
    #expect(!pages.isEmpty)
    return pages
  }

  /// What stands between the fences of Swift code.
  private func examples(ofPage path: String) throws -> [String] {
    try Tree.lines(of: path).blocks(from: { $0 == "```swift" }, to: { $0 == "```" })
  }

  /// What stands between `// example: NAME` and `// end`.
  private func examples(ofSource path: String) throws -> [String] {
    try Tree.lines(of: path)
      .blocks(from: { $0.hasPrefix("    // example: ") }, to: { $0 == "    // end" })
      .map { $0.components(separatedBy: "\n").map { String($0.dropFirst(4)) } }
      .map { $0.joined(separator: "\n") }
  }
}

extension [String] {
  /// The lines between each two marks.
  fileprivate func blocks(
    from begins: (String) -> Bool,
    to ends: (String) -> Bool
  ) -> [String] {
    var (blocks, block): ([String], [String]?) = ([], nil)
    for line in self {
      if block == nil {
        if begins(line) { block = [] }
      } else if ends(line) {
        blocks.append(block?.joined(separator: "\n") ?? "")
        block = nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }
}

import SondeAddresses
import SondeCatalog
import SondeLists
import SondeRecords
import SondeTables

/// The published lists of crawlers, as far as they were fetched.
struct CrawlerLists: Sendable {
  private let tables: [(crawler: Crawler, table: NetworkTable)]

  /// The crawlers whose lists were fetched.
  let fetched: CrawlerClaims

  /// Creates the lists of some crawlers.
  init(_ tables: [(number: Int, table: NetworkTable)]) {
    self.tables = tables.map { (Crawler.all[$0.number], $0.table) }
    fetched = CrawlerClaims(tables.map { CrawlerClaims(number: $0.number) })
  }

  /// Reads the lists in a directory; damaged ones count as never fetched.
  init(in folder: ListFolder?) {
    self.init(
      Crawler.all.enumerated().compactMap { number, crawler in
        guard let folder, let list = crawler.list else { return nil }
        return (try? folder.table(of: list)).map { (number, $0) }
      }
    )
  }

  /// The crawler whose list contains an address; `nil` if none does.
  func crawler(of address: Address) -> Crawler? {
    tables.first { $0.table.contains(address) }?.crawler
  }
}

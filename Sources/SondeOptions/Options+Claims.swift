import SondeCatalog
package import SondeRecords

extension Options {
  /// Finds what lines claim, if a source of `--with` depends on that.
  package var claims: CrawlerClaims.Finder? {
    guard with.contains(where: { $0.source.origin == .crawlers }) else { return nil }
    return { Crawler.claims(in: $0) }
  }
}

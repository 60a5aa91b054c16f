package import SondeAddresses

/// What an answer is about: an address, and the crawlers that the lines with it claim to come from.
///
/// Claims are empty unless a source depends on them.
package struct SubjectKey: Hashable, Sendable {
  package let address: Address
  package var claims: CrawlerClaims

  @inline(__always)
  package init(_ address: Address, claiming claims: CrawlerClaims = []) {
    (self.address, self.claims) = (address, claims)
  }
}

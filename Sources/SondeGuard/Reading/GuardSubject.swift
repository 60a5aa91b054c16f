package import SondeAddresses
package import SondeRecords

/// What the answer about a hit is about: its address, and what its line claims.
package struct SubjectKey: Hashable, Sendable {
  package let address: Address
  package var claims: CrawlerClaims = []

  package init(_ address: Address, claiming claims: CrawlerClaims = []) {
    (self.address, self.claims) = (address, claims)
  }
}

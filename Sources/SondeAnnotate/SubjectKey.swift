import SondeAddresses
import SondeRecords
import SondeStore

/// What an answer is about: an address, and the crawlers that the lines with it claim to come from.
///
/// Claims are empty unless a source depends on them.
struct SubjectKey: Hashable, Sendable {
  let address: Address
  var claims: CrawlerClaims = []

  init(_ address: Address, claiming claims: CrawlerClaims = []) {
    (self.address, self.claims) = (address, claims)
  }

  /// The subject of an answer that was spilled.
  init(_ item: AnswerSpill.Answers.Item) {
    self.init(item.address, claiming: CrawlerClaims(rawValue: item.variant))
  }
}

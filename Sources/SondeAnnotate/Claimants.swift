import SondeAddresses
import SondeAsking
import SondeRecords

/// The claims that wait for one answer of the providers about an address: a pure value.
///
/// The providers are asked about an address once in a run, whatever the lines with it claim.
struct Claimants: Sendable {
  /// The largest number of answers that are remembered.
  private static let mostRemembered = 1 << 14

  /// For each address that is asked about, the claims that wait besides the first ones.
  private var waiting: [Address: [CrawlerClaims]] = [:]
  private var answers: [Address: RecordBlock] = [:]

  /// Enters subjects: returns those to ask about, and the answers about others; the rest waits.
  mutating func enter(_ keys: [SubjectKey]) -> (open: [SubjectKey], known: [RecordBlock]) {
    var (open, known): ([SubjectKey], [RecordBlock]) = ([], [])
    for key in keys {
      if var answer = answers[key.address] {
        answer.records[0].place.claims = key.claims
        known.append(answer)
      } else if waiting[key.address] != nil {
        waiting[key.address]?.append(key.claims)
      } else {
        waiting[key.address] = []
        open.append(key)
      }
    }
    return (open, known)
  }

  /// Takes an answer about the address of a record, and returns the claims that waited for it.
  mutating func take(_ answers: RecordBlock, _ index: Int) -> [CrawlerClaims] {
    guard let address = answers.records[index].address else { return [] }
    if self.answers.count == Self.mostRemembered { self.answers.removeAll() }
    self.answers[address] = answers.alone(index)
    return leave(address)
  }

  /// Ends the question about an address, for which there was an insertion already; returns the
  /// claims that waited for its answer.
  mutating func leave(_ address: Address) -> [CrawlerClaims] {
    waiting.removeValue(forKey: address) ?? []
  }
}

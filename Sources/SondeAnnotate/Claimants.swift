import SondeAddresses
import SondeAsking
import SondeRecords

/// The claims that wait for one answer of the providers about an address: a pure value.
///
/// The providers are asked about an address once in a run, whatever the lines with it claim.
struct Claimants: Sendable {
  /// The largest number of answers that are remembered.
  private static let mostRemembered = 1 << 14

  /// For each address that is asked about, what waits besides the first; its keys claim nothing.
  private var waiting: [SubjectKey: [SubjectKey]] = [:]
  private var answers: [SubjectKey: RecordBlock] = [:]

  /// Enters subjects: returns those to ask about, and the answers about others; the rest waits.
  mutating func enter(_ keys: [SubjectKey]) -> (open: [SubjectKey], known: [RecordBlock]) {
    var (open, known): ([SubjectKey], [RecordBlock]) = ([], [])
    for key in keys {
      let address = SubjectKey(key.address, in: key.period)
      if var answer = answers[address] {
        answer.records[0].place.claims = key.claims
        known.append(answer)
      } else if waiting[address] != nil {
        waiting[address]?.append(key)
      } else {
        waiting[address] = []
        open.append(key)
      }
    }
    return (open, known)
  }

  /// Takes an answer about the address of a record, and returns what waited for it.
  mutating func take(_ answers: RecordBlock, _ index: Int) -> [SubjectKey] {
    let record = answers.records[index]
    guard let address = record.address else { return [] }
    if self.answers.count == Self.mostRemembered { self.answers.removeAll() }
    let key = SubjectKey(address, in: record.place.period)
    self.answers[key] = answers.alone(index)
    return leave(key)
  }

  /// Ends the question about an address, for which there was an insertion already; returns what
  /// waited for its answer.
  mutating func leave(_ key: SubjectKey) -> [SubjectKey] {
    waiting.removeValue(forKey: SubjectKey(key.address, in: key.period)) ?? []
  }
}

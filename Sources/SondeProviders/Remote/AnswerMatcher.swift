import SondeAddresses
import SondeRecords

/// Assigns the entries of an answer to their addresses, in any order.
///
/// An entry is only accepted for the address that it contains: duplicates and addresses that were
/// not requested are ignored, and missing ones remain missing.
struct AnswerMatcher {
  private let addresses: [Address]
  private var places: [Address: Int]?
  private(set) var answers: Answers
  private var isAnswered: [Bool]

  /// Creates a matcher without answers; the texts of records are ranges in `document`'s strings.
  init(addresses: [Address], document: JSONDocument) {
    self.addresses = addresses
    var block = RecordBlock()
    block.bytes = document.strings
    block.records = addresses.map { Record(address: $0, status: .failed) }
    answers = Answers(block: block, missing: [])
    isAnswered = Array(repeating: false, count: addresses.count)
  }

  /// Settles the record of an entry's address, if it was requested and not settled yet; `expected`
  /// is its position in an ordered answer.
  mutating func put(_ record: Record, saying words: String?, expected: Int) {
    guard let address = record.address, let place = place(of: address, expected: expected) else {
      return
    }
    let message = words.map { append(text: $0) } ?? .none
    settle(place) {
      $0 = record
      $0[.message] = message
    }
  }

  /// The requested position of an entry's address, unless it was settled already; `expected` is
  /// tried first.
  mutating func place(of address: Address, expected: Int) -> Int? {
    if addresses.indices.contains(expected), addresses[expected] == address {
      return isAnswered[expected] ? nil : expected
    }
    if places == nil {
      places = Dictionary(zip(addresses, addresses.indices)) { first, _ in first }
    }
    guard let place = places?[address], !isAnswered[place] else { return nil }
    return place
  }

  func address(at place: Int) -> Address { addresses[place] }

  mutating func settle(_ place: Int, _ fill: (inout Record) -> Void) {
    isAnswered[place] = true
    fill(&answers.block.records[place])
  }

  /// Adds a text that is not in the document.
  mutating func append(text: String) -> TextRange { answers.block.append(text: text.confined) }

  /// Keeps the first of the provider's messages about failed entries.
  mutating func note(complaint: String) {
    if answers.complaint.isEmpty { answers.complaint = complaint.confined }
  }

  /// Returns the answers with a list of missing ones.
  consuming func finish() -> Answers {
    answers.block.nameCountries()
    answers.missing = isAnswered.indices.filter { !isAnswered[$0] }
    return answers
  }
}

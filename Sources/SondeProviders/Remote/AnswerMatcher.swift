import SondeAddresses
import SondeRecords

/// Puts the entries of an answer where their addresses were asked, whatever their order.
///
/// An entry is believed only for the address that it names itself: what is missing stays missing,
/// a second one for the same address and one that was never asked are passed over.
struct AnswerMatcher {
  private let addresses: [Address]
  private var places: [Address: Int]?
  private(set) var answers: Answers
  private var isAnswered: [Bool]

  /// Starts with nothing answered; the texts of the records are ranges into `document`'s strings.
  init(addresses: [Address], document: JSONDocument) {
    self.addresses = addresses
    var block = RecordBlock()
    block.bytes = document.strings
    block.records = addresses.map { Record(address: $0, status: .failed) }
    answers = Answers(block: block, missing: [])
    isAnswered = Array(repeating: false, count: addresses.count)
  }

  /// Settles the record of the address that an entry names, if it was asked and is not answered yet.
  ///
  /// - Parameters:
  ///   - record: The record, with its address.
  ///   - words: Its message, where it has one.
  ///   - expected: Where it would stand in an answer in order.
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

  /// The place of the address that an entry names, if it was asked and is not answered yet.
  ///
  /// - Parameters:
  ///   - address: The address that the entry is about.
  ///   - expected: Where it would stand in an answer in order; that place is tried first.
  /// - Returns: The position in the question, or `nil`.
  mutating func place(of address: Address, expected: Int) -> Int? {
    if addresses.indices.contains(expected), addresses[expected] == address {
      return isAnswered[expected] ? nil : expected
    }
    if places == nil {
      places = Dictionary(
        zip(addresses, addresses.indices),
        uniquingKeysWith: { first, _ in first }
      )
    }
    guard let place = places?[address], !isAnswered[place] else { return nil }
    return place
  }

  /// The address asked at a place.
  func address(at place: Int) -> Address { addresses[place] }

  /// Settles the record at a place.
  mutating func settle(_ place: Int, _ fill: (inout Record) -> Void) {
    isAnswered[place] = true
    fill(&answers.block.records[place])
  }

  /// Adds a text that the document does not hold.
  mutating func append(text: String) -> TextRange { answers.block.append(text: text.confined) }

  /// Notes what the provider says of an entry that it failed at; the first counts.
  mutating func note(complaint: String) {
    if answers.complaint.isEmpty { answers.complaint = complaint.confined }
  }

  /// The answers, with what is missing listed.
  consuming func finish() -> Answers {
    answers.missing = isAnswered.indices.filter { !isAnswered[$0] }
    return answers
  }
}

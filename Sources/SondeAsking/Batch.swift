package import SondeAddresses
package import SondeRecords
package import SondeStore

/// An entry that wants an answer.
package struct Question: Sendable {
  /// The entry's number among all that the reader delivers.
  package var number: UInt64
  package var address: Address
  /// Where it stands, for the record.
  package var place = Place()

  /// Makes one of its parts.
  package init(number: UInt64, address: Address, place: Place = Place()) {
    self.number = number
    self.address = address
    self.place = place
  }
}

/// Questions that are asked together.
package struct Batch: Sendable {
  package private(set) var questions: [Question] = []

  /// The addresses of the questions, each once.
  package private(set) var addresses: [Address] = []

  /// When the first question came.
  package private(set) var begin: ContinuousClock.Instant?

  /// What was in the cache when it knew none of the addresses; `nil` where it has to be asked.
  package private(set) var view: StoreView?

  /// What the providers have answered to each question, where only sources are to be asked.
  package var answers: RecordBlock?

  /// Where each address stands, kept only while one may come twice.
  private var positions: [Address: Int]?

  /// For each question the address that it is about; empty where each has its own.
  private var places: [UInt32] = []

  /// - Parameters:
  ///   - mayRepeat: Whether several questions may be about one address.
  ///   - size: How many questions are to be expected at the most.
  package init(mayRepeat: Bool, expecting size: Int = 0) {
    positions = mayRepeat ? [:] : nil
    questions.reserveCapacity(size)
    addresses.reserveCapacity(size)
  }

  package var isEmpty: Bool { questions.isEmpty }

  /// Adds a question.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - view: What was in the cache when it did not know the address.
  ///   - now: This moment.
  package mutating func append(
    _ question: Question,
    unknownIn view: StoreView?,
    now: ContinuousClock.Instant
  ) {
    if begin == nil { (begin, self.view) = (now, view) }
    if view == nil { self.view = nil }
    questions.append(question)
    if let place = positions?[question.address] {
      places.append(UInt32(place))
      return
    }
    if positions != nil { places.append(UInt32(addresses.count)) }
    positions?[question.address] = addresses.count
    addresses.append(question.address)
  }

  /// Adds the questions and answers of another batch that is answered.
  package mutating func append(_ batch: Batch) {
    guard let other = batch.answers else { return }
    for (question, record) in zip(batch.questions, other.records) {
      append(question, unknownIn: nil, now: .now)
      answers?.append(record, of: other)
    }
  }

  /// Says that no more will be added: what only that needs is given up, since many such may wait.
  package mutating func seal() { positions = nil }

  /// Which of the addresses a question is about.
  package func address(of index: Int) -> Int { places.isEmpty ? index : Int(places[index]) }

  /// Which of the records is the answer to a question.
  package func position(of index: Int) -> Int { answers == nil ? address(of: index) : index }
}

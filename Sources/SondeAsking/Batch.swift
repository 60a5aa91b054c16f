package import SondeAddresses
package import SondeRecords
package import SondeStore

/// An entry that requires an answer.
package struct Question: Sendable {
  /// The number of the entry among all entries read.
  package var number: UInt64
  package var address: Address
  package var place = Place()

  package init(number: UInt64, address: Address, place: Place = Place()) {
    (self.number, self.address, self.place) = (number, address, place)
  }
}

/// Questions that are sent together.
package struct Batch: Sendable {
  package private(set) var questions: [Question] = []

  /// The addresses of the questions, without duplicates.
  package private(set) var addresses: [Address] = []

  /// The arrival of the first question.
  package private(set) var begin: ContinuousClock.Instant?

  /// The view of the cache in which no address was found; `nil` if it has to be looked up.
  package private(set) var view: StoreView?

  /// The providers' answers to the questions, if only sources are still to be asked.
  package var answers: RecordBlock?

  /// The index of each address, while duplicates are possible.
  private var positions: [Address: Int]?

  /// For each question the index of its address; empty if there are no duplicates.
  private var places: [UInt32] = []

  /// Creates an empty batch; `mayRepeat` means that several questions may have the same address.
  package init(mayRepeat: Bool, expecting size: Int = 0) {
    positions = mayRepeat ? [:] : nil
    questions.reserveCapacity(size)
    addresses.reserveCapacity(size)
  }

  package var isEmpty: Bool { questions.isEmpty }

  /// Adds a question whose address was not found in `view` of the cache.
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

  /// Adds the questions and answers of another answered batch.
  package mutating func append(_ batch: Batch) {
    guard let other = batch.answers else { return }
    for (question, record) in zip(batch.questions, other.records) {
      append(question, unknownIn: nil, now: .now)
      answers?.append(record, of: other)
    }
  }

  /// The batch in parts of at most so many answered questions, in their order.
  package consuming func parts(of size: Int) -> [Batch] {
    guard let answers, questions.count > size else { return [self] }
    return stride(from: 0, to: questions.count, by: size).map { start in
      var part = Batch(mayRepeat: positions != nil, expecting: size)
      var block = RecordBlock()
      for index in start..<min(start + size, questions.count) {
        part.append(questions[index], unknownIn: nil, now: .now)
        block.append(answers.records[index], of: answers)
      }
      part.answers = block
      return part
    }
  }

  /// Frees the memory for adding questions, since many batches may wait.
  package mutating func seal() { positions = nil }

  /// The index of a question's address.
  package func address(of index: Int) -> Int { places.isEmpty ? index : Int(places[index]) }

  /// The index of the record that answers a question.
  package func position(of index: Int) -> Int { answers == nil ? address(of: index) : index }
}

extension Batch {
  /// What a source is asked about.
  struct Subject: Hashable {
    let address: Address
    var claims: CrawlerClaims = []
  }

  /// The distinct subjects, and for each record the index of its subject; without claims, they are
  /// the addresses.
  func subjects(withClaims hasClaims: Bool) -> (distinct: [Subject], places: [Int]) {
    guard let answers else {
      return (addresses.map { Subject(address: $0) }, Array(addresses.indices))
    }
    guard hasClaims else {
      return (addresses.map { Subject(address: $0) }, questions.indices.map(address(of:)))
    }
    var (distinct, places): ([Subject], [Int]) = ([], [])
    var known: [Subject: Int] = [:]
    for (question, record) in zip(questions, answers.records) {
      let subject = Subject(address: question.address, claims: record.place.claims)
      let place = known[subject] ?? distinct.count
      if place == distinct.count {
        known[subject] = place
        distinct.append(subject)
      }
      places.append(place)
    }
    return (distinct, places)
  }
}

import SondeAddresses
package import SondeAsking
package import SondeRecords

/// The answers about the addresses of hits, of which the latest are remembered.
package struct GuardAnswers: Sendable {
  /// The number of answers that are remembered.
  private static let mostRemembered = 50_000

  /// How long an answer is remembered here; afterwards it may still be in the cache.
  private static let longestTime = Duration.seconds(3600)

  private var known: [GuardSubject: RecordBlock] = [:]
  private var begun = ContinuousClock.now

  package init() {}

  /// The answer about a subject, if it is known.
  package func answer(about subject: GuardSubject) -> RecordBlock? { known[subject] }

  /// Takes answers, and forgets all others when there are too many, or they are old.
  package mutating func take(_ answers: [GuardSubject: RecordBlock]) {
    let isOld = ContinuousClock.now - begun > Self.longestTime
    if isOld || known.count + answers.count > Self.mostRemembered { (known, begun) = ([:], .now) }
    known.merge(answers) { _, new in new }
  }

  /// Asks about subjects, without duplicates, with several requests at a time.
  ///
  /// - Throws: `CancellationError` only.
  package static func ask(
    _ subjects: [GuardSubject],
    of chain: ProviderChain,
    atOnce: Int
  ) async throws -> [GuardSubject: RecordBlock] {
    let size = max(1, chain.batchLimit)
    let batches = stride(from: 0, to: subjects.count, by: size).map { start in
      Array(subjects[start..<min(start + size, subjects.count)])
    }
    return try await withThrowingTaskGroup(of: [GuardSubject: RecordBlock].self) { group in
      var (next, answers): (Int, [GuardSubject: RecordBlock]) = (0, [:])
      while next < min(max(1, atOnce), batches.count) {
        group.addTask { [batch = batches[next]] in try await ask(batch, chain) }
        next += 1
      }
      while let found = try await group.next() {
        answers.merge(found) { _, new in new }
        guard next < batches.count else { continue }
        group.addTask { [batch = batches[next]] in try await ask(batch, chain) }
        next += 1
      }
      return answers
    }
  }

  private static func ask(
    _ subjects: [GuardSubject],
    _ chain: ProviderChain
  ) async throws -> [GuardSubject: RecordBlock] {
    var answers: [GuardSubject: RecordBlock] = [:]
    var batch = Batch(mayRepeat: true)
    var asked: [GuardSubject] = []
    for subject in subjects {
      guard subject.address.specialPurpose == nil else {
        answers[subject] = try await chain.answer(to: subject.address).alone(0)
        continue
      }
      var place = Place()
      place.claims = subject.claims
      let number = UInt64(asked.count)
      let question = Question(number: number, address: subject.address, place: place)
      batch.append(question, unknownIn: nil, now: .now)
      asked.append(subject)
    }
    guard !asked.isEmpty else { return answers }
    if chain.readsClaims { batch.answers = try await providerAnswers(to: batch, chain) }
    let block = try await chain.answers(to: batch)
    for (index, subject) in asked.enumerated() {
      answers[subject] = block.alone(batch.position(of: index))
    }
    return answers
  }

  /// What the providers say, once for each address, with what the lines of the questions claim.
  private static func providerAnswers(
    to batch: Batch,
    _ chain: ProviderChain
  ) async throws -> RecordBlock {
    let records = try await chain.lookUp(batch.addresses)
    var answers = RecordBlock()
    for (index, question) in batch.questions.enumerated() {
      var record = records.records[batch.address(of: index)]
      record.place = question.place
      answers.append(record, of: records)
    }
    return answers
  }
}

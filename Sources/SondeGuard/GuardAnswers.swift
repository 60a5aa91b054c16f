package import SondeRecords

/// An answer about an address.
package struct GuardAnswer: Sendable {
  /// It has one record.
  package let block: RecordBlock
  /// The unique number of the answer, by which derived facts are cached.
  let number: Int
}

/// The answers about the addresses of hits, of which the latest are remembered.
package struct GuardAnswers: Sendable {
  /// The number of answers that are remembered.
  private static let mostRemembered = 50_000

  /// How long an answer is remembered here; afterwards it may still be in the cache.
  private static let longestTime = Duration.seconds(3600)

  private var known: [SubjectKey: GuardAnswer] = [:]
  private var begun = ContinuousClock.now
  private var lastNumber = 0

  package init() {}

  /// The answer about a subject, if it is known.
  package func answer(about subject: SubjectKey) -> GuardAnswer? { known[subject] }

  /// Takes answers, and forgets all others when there are too many, or they are old.
  package mutating func take(_ answers: [SubjectKey: RecordBlock]) {
    guard !answers.isEmpty else { return }
    let isOld = ContinuousClock.now - begun > Self.longestTime
    if isOld || known.count + answers.count > Self.mostRemembered { (known, begun) = ([:], .now) }
    for (subject, block) in answers { known[subject] = numbered(block) }
  }

  /// Numbers an answer without caching it.
  mutating func numbered(_ block: RecordBlock) -> GuardAnswer {
    lastNumber += 1
    return GuardAnswer(block: block, number: lastNumber)
  }
}

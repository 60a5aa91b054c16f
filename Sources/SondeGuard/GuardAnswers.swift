package import SondeRecords

/// The answers about the addresses of hits, of which the latest are remembered.
package struct GuardAnswers: Sendable {
  /// The number of answers that are remembered.
  private static let mostRemembered = 50_000

  /// How long an answer is remembered here; afterwards it may still be in the cache.
  private static let longestTime = Duration.seconds(3600)

  private var known: [SubjectKey: RecordBlock] = [:]
  private var begun = ContinuousClock.now

  package init() {}

  /// The answer about a subject, if it is known.
  package func answer(about subject: SubjectKey) -> RecordBlock? { known[subject] }

  /// Takes answers, and forgets all others when there are too many, or they are old.
  package mutating func take(_ answers: [SubjectKey: RecordBlock]) {
    let isOld = ContinuousClock.now - begun > Self.longestTime
    if isOld || known.count + answers.count > Self.mostRemembered { (known, begun) = ([:], .now) }
    known.merge(answers) { _, new in new }
  }
}

/// Whether a resolver answers at all.
///
/// A missing answer is due to the question itself if others were answered meanwhile. Otherwise a
/// question is sent that every resolver answers; if that is not answered either, the network is
/// lost.
struct Presence: Sendable {
  /// The meaning of a missing answer.
  enum Meaning: Sendable, Equatable {
    /// Others were answered since.
    case ofTheQuestion
    /// None was answered: hold the question until the reason is known.
    case unknown
  }

  private(set) var isDoubted = false
  private var lastAnswer: Duration?

  /// Records an answer, whatever its content.
  mutating func answered(now: Duration) { (lastAnswer, isDoubted) = (now, false) }

  /// Judges an unanswered question by when it was sent.
  mutating func unanswered(began: Duration) -> Meaning {
    if let lastAnswer, lastAnswer >= began { return .ofTheQuestion }
    isDoubted = true
    return .unknown
  }

  /// Records that the loss is known, so that the next question starts again.
  mutating func lost() { isDoubted = false }
}

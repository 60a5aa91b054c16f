/// Whether a resolver answers at all.
///
/// A question without an answer is the question's own fault where others were answered meanwhile. Where
/// none was, one is asked that every resolver answers; if that has no answer either, the
/// network is lost.
struct Presence: Sendable {
  /// What a question without an answer means.
  enum Meaning: Sendable, Equatable {
    /// Others were answered since.
    case ofTheQuestion
    /// Nobody was: hold the question until that is known.
    case unknown
  }

  private(set) var isDoubted = false
  private var lastAnswer: Duration?

  /// Notes an answer, whatever it says.
  mutating func answered(now: Duration) { (lastAnswer, isDoubted) = (now, false) }

  /// Judges a question that ended without an answer, by when it went out.
  mutating func unanswered(began: Duration) -> Meaning {
    if let lastAnswer, lastAnswer >= began { return .ofTheQuestion }
    isDoubted = true
    return .unknown
  }

  /// Notes that the loss is known: who asks next begins anew.
  mutating func lost() { isDoubted = false }
}

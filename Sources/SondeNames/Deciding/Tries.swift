import Glibc

/// The number of attempts per question: a pure value.
///
/// A question that a server never answers is sent three times. If datagrams are lost, that is too
/// few: of 40,000 questions, each lost with a probability of one in twenty, five would remain
/// unanswered. The loss rate is estimated from questions that were answered at a later attempt;
/// those never answered are not evidence.
struct Tries: Sendable {
  /// The largest number of attempts, whatever the loss rate: 36 s of waiting.
  static let most = 12

  /// The largest probability that an answerable question remains unanswered.
  private static let chance = 1e-9

  /// The number of answers after which earlier ones count half.
  private static let memory = 8192

  /// The number of answers assumed initially, so that a single late one has little weight.
  private static let assumed = 50

  /// The number of attempts without losses.
  private let usual: Int
  private var answered = 0
  private var lost = 0

  /// Creates a state without losses; fewer than two retries are the user's choice, and losses do
  /// not increase them.
  init(retries: Int) { usual = retries + 1 }

  /// Records an answer, and the number of earlier attempts without one.
  mutating func answered(afterSilences silences: Int) {
    answered += 1
    lost += silences
    if answered >= Self.memory { (answered, lost) = (answered / 2, lost / 2) }
  }

  /// The largest number of attempts now.
  var limit: Int {
    guard usual > 2, lost > 0 else { return usual }
    let rate = Double(lost) / Double(lost + answered + Self.assumed)
    return min(max(usual, Int((log(Self.chance) / log(rate)).rounded(.up))), Self.most)
  }
}

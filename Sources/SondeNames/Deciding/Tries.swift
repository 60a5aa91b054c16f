import Glibc

/// How often a question is asked before it has no answer: a pure value.
///
/// A question that one server never answers is asked three times. Where datagrams are lost, that is too
/// few: of 40,000 questions, each lost with a chance of one in twenty, five would end so. How many are
/// lost shows in those that were answered at a later try; what is never answered says nothing of it.
struct Tries: Sendable {
  /// The most tries, whatever is lost: 36 s of waiting.
  static let most = 12

  /// The chance that a question which the server would answer ends without an answer, at most.
  private static let chance = 1e-9

  /// After so many answers, those before them count half.
  private static let memory = 8192

  /// As many answers without a loss are assumed at first, so that one that came late weighs little.
  private static let assumed = 50

  /// How often it is asked where nothing is lost.
  private let usual: Int
  private var answered = 0
  private var lost = 0

  /// Begins without any loss.
  ///
  /// - Parameter retries: How often a question is asked again where nothing is lost; below two, it is
  ///   asked no more often whatever is lost, for somebody wants it so.
  init(retries: Int) { usual = retries + 1 }

  /// Notes an answer, and to how many earlier tries of the question there was none.
  mutating func answered(afterSilences silences: Int) {
    answered += 1
    lost += silences
    if answered >= Self.memory { (answered, lost) = (answered / 2, lost / 2) }
  }

  /// How often a question is asked at the most.
  var limit: Int {
    guard usual > 2, lost > 0 else { return usual }
    let rate = Double(lost) / Double(lost + answered + Self.assumed)
    return min(max(usual, Int((log(Self.chance) / log(rate)).rounded(.up))), Self.most)
  }
}

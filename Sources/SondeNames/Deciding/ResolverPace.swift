/// The rate of questions to a resolver.
///
/// A private resolver is limited by the number of pending questions: measured with 4,000 pending
/// questions, 830 of 200,000 answers were lost for lack of socket buffers, with 256 none. A public
/// one is limited by questions per second: Google's throttles a client above 1,000 or 1,500
/// (developers.google.com/speed/public-dns/docs/isp), and answers are lost if a resolver is asked
/// too fast (massdns, issue 117). A time-out and SERVFAIL halve the rate, once for all earlier
/// questions; other answers raise it again.
///
/// It is a pure value that is passed the time of any monotonic clock.
struct ResolverPace: Sendable {
  /// The largest number of pending questions.
  static let mostUnderWay = 256

  /// The largest number of questions per second to a resolver with a public address.
  static let mostPerSecond = 500

  /// How many of them may be sent at once after a pause.
  private static let burst = 10

  /// The reduction for questions that arrive with a delay.
  private static let margin = 20

  /// The full rate as a multiple of the lowest.
  private static let fullShare = 16

  private let isPublic: Bool
  private var share = fullShare
  private var clean = 0
  private var halvedAt: Duration?
  private var underWay = 0
  /// When the next question is due without saved-up ones.
  private var due: Duration?

  /// Starts with the full rate.
  init(isPublic: Bool) { self.isPublic = isPublic }

  /// The current limit of pending questions.
  var width: Int { Self.mostUnderWay * share / Self.fullShare }

  /// The current limit of questions per second; `nil` if there is none.
  var rate: Int? {
    isPublic ? (Self.mostPerSecond - Self.burst - Self.margin) * share / Self.fullShare : nil
  }

  /// When the next question may be sent; `nil` if an answer must arrive first.
  func next(now: Duration) -> Duration? {
    guard underWay < width else { return nil }
    guard let rate, let due else { return now }
    // Saved-up questions may be sent at once.
    return max(now, due - .seconds(1) / rate * (Self.burst - 1))
  }

  /// Records that a question is sent.
  mutating func begin(now: Duration) {
    underWay += 1
    guard let rate else { return }
    due = max(due ?? now, now) + .seconds(1) / rate
  }

  /// Records the end of a question by its start; overload is a time-out or SERVFAIL.
  mutating func end(isOverload: Bool, began: Duration, now: Duration) {
    underWay -= 1
    guard isOverload else { return raise() }
    clean = 0
    // Questions sent before the rate was halved do not indicate the effect of the new one.
    guard halvedAt.map({ began >= $0 }) ?? true else { return }
    (share, halvedAt) = (max(1, share / 2), now)
  }

  /// Raises the rate by a step after as many consecutive answers as may be pending.
  private mutating func raise() {
    clean += 1
    guard share < Self.fullShare, clean >= rate ?? width else { return }
    (share, clean) = (share + 1, 0)
  }
}

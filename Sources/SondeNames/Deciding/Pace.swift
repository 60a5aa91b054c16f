/// How fast a resolver is asked.
///
/// A resolver of one's own is limited by what is under way: measured with 4,000 questions under way, 830
/// of 200,000 answers were lost for want of room in the socket, with 256 none. A public one is
/// limited by questions a second: Google's throttles a client above 1,000 or 1,500
/// (developers.google.com/speed/public-dns/docs/isp), and answers are lost where one asks faster than a
/// resolver can (massdns, issue 117). A time-out and SERVFAIL halve the pace, once for all that was asked
/// before; answers without either raise it again.
///
/// It decides, with the time as an argument: any clock that does not jump.
struct Pace: Sendable {
  /// How many questions may be under way.
  static let mostUnderWay = 256

  /// How many questions a second a resolver with a public address gets in any second.
  static let mostPerSecond = 500

  /// How many of them may be asked at once after a pause.
  private static let burst = 10

  /// How many fewer are asked, for those that come later than they were sent.
  private static let margin = 20

  /// The full pace in steps of which one is the least.
  private static let fullShare = 16

  private let isPublic: Bool
  private var share = fullShare
  private var clean = 0
  private var halvedAt: Duration?
  private var underWay = 0
  /// When the next question is due if nothing was saved up.
  private var due: Duration?

  /// Begins with the full pace.
  ///
  /// - Parameter isPublic: Whether the resolver has a public address.
  init(isPublic: Bool) { self.isPublic = isPublic }

  /// How many questions may be under way now.
  var width: Int { Self.mostUnderWay * share / Self.fullShare }

  /// How many questions a second go out now; `nil` where no rate is kept.
  var rate: Int? {
    isPublic ? (Self.mostPerSecond - Self.burst - Self.margin) * share / Self.fullShare : nil
  }

  /// When the next question may go out; `nil` where an answer must come first.
  func next(now: Duration) -> Duration? {
    guard underWay < width else { return nil }
    guard let rate, let due else { return now }
    // What was saved up may go out at once.
    return max(now, due - .seconds(1) / rate * (Self.burst - 1))
  }

  /// Notes that a question goes out.
  mutating func begin(now: Duration) {
    underWay += 1
    guard let rate else { return }
    due = max(due ?? now, now) + .seconds(1) / rate
  }

  /// Notes how a question ended.
  ///
  /// - Parameters:
  ///   - isOverload: Whether it ended with a time-out or SERVFAIL.
  ///   - began: When it went out.
  ///   - now: This moment.
  mutating func end(isOverload: Bool, began: Duration, now: Duration) {
    underWay -= 1
    guard isOverload else { return raise() }
    clean = 0
    // What went out before the pace was halved says nothing of the new one.
    guard halvedAt.map({ began >= $0 }) ?? true else { return }
    (share, halvedAt) = (max(1, share / 2), now)
  }

  /// Raises the pace by a step once as many answers have come in a row as it lets out at a time.
  private mutating func raise() {
    clean += 1
    guard share < Self.fullShare, clean >= rate ?? width else { return }
    (share, clean) = (share + 1, 0)
  }
}

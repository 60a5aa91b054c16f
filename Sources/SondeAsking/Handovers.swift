/// Decides when to report which provider answers: a pure value.
///
/// A single hand-over is reported at once. Hand-overs within ``calm`` of each other are reported as
/// one, after no more have followed for that time. Providers are identified by their positions in
/// the list.
struct Handovers: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// A hand-over to report.
  struct Change: Equatable, Sendable {
    var from: Int
    var to: Int
    /// Why the previous provider does not answer; empty if it did not answer before.
    var reason: String
  }

  /// How long a provider must have answered to be reported after several hand-overs.
  static let calm = Duration.seconds(10)

  private var serving = 0
  private var told = 0
  private var questions: UInt64 = 0
  private var latest: (after: UInt64, at: Instant)?
  private var untold: Change?
  private var gaveUpAfter: UInt64?

  /// Returns the number of a question that is about to be asked.
  mutating func begin() -> UInt64 {
    questions += 1
    return questions
  }

  /// When ``timePassed(now:)`` has something to report.
  var due: Instant? {
    guard untold != nil, let latest else { return nil }
    return latest.at + Self.calm
  }

  /// Records which provider answered a question; returns the hand-over to report now.
  ///
  /// A question that was pending at the last hand-over is ignored, since its answers may be older.
  mutating func note(
    _ provider: Int,
    reason: String = "",
    question: UInt64,
    now: Instant
  ) -> Change? {
    guard provider != serving, question > latest?.after ?? 0 else { return nil }
    let change = Change(from: serving, to: provider, reason: reason)
    let isToAndFro = untold != nil || latest.map { now - $0.at < Self.calm } ?? false
    (serving, latest) = (provider, (questions, now))
    untold = isToAndFro ? change : nil
    guard !isToAndFro else { return nil }
    told = provider
    return change
  }

  /// Reports the final provider after several hand-overs.
  mutating func timePassed(now: Instant) -> Change? {
    guard let due, due <= now else { return nil }
    defer { (untold, told) = (nil, serving) }
    return untold
  }

  /// Reports at the end the provider that answers, unless it was the last one reported.
  mutating func finish() -> Change? {
    defer { (untold, told) = (nil, serving) }
    guard let untold, told != serving else { return nil }
    return Change(from: told, to: serving, reason: untold.reason)
  }

  /// Records that addresses remain unanswered for lack of a network; true once for each loss.
  mutating func noteLoss() -> Bool {
    guard gaveUpAfter == nil else { return false }
    gaveUpAfter = questions
    return true
  }

  /// Records that addresses are answered again.
  mutating func noteAnswer(question: UInt64) {
    if let gaveUpAfter, question > gaveUpAfter { self.gaveUpAfter = nil }
  }
}

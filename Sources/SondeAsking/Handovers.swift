/// Decides when it is told which provider answers: a pure value.
///
/// A hand-over is told at once. Those that follow one another within ``calm`` are told as one, when
/// nothing more has followed for so long. Providers are known by their places in the list.
struct Handovers: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// What is told.
  struct Change: Equatable, Sendable {
    var from: Int
    var to: Int
    /// Why the one before does not answer; nothing where it is one that did not before.
    var reason: String
  }

  /// How long one provider must have answered for it to be told once it went to and fro.
  static let calm = Duration.seconds(10)

  private var serving = 0
  private var told = 0
  private var questions: UInt64 = 0
  private var latest: (after: UInt64, at: Instant)?
  private var untold: Change?
  private var gaveUpAfter: UInt64?

  /// Gives a question its number, when it is about to be asked.
  mutating func begin() -> UInt64 {
    questions += 1
    return questions
  }

  /// When ``timePassed(now:)`` has something to tell.
  var due: Instant? {
    guard untold != nil, let latest else { return nil }
    return latest.at + Self.calm
  }

  /// Notes who answered a question.
  ///
  /// - Parameters:
  ///   - provider: Who.
  ///   - reason: Why those before it did not.
  ///   - question: The question's number. One that was under way at the last hand-over tells nothing
  ///     new: its answers may come from before.
  ///   - now: This moment.
  /// - Returns: What is to be told now.
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

  /// Tells who stays, once it has gone to and fro.
  mutating func timePassed(now: Instant) -> Change? {
    guard let due, due <= now else { return nil }
    defer { (untold, told) = (nil, serving) }
    return untold
  }

  /// Tells at the end who answers, if that is not what was told last.
  mutating func finish() -> Change? {
    defer { (untold, told) = (nil, serving) }
    guard let untold, told != serving else { return nil }
    return Change(from: told, to: serving, reason: untold.reason)
  }

  /// Notes that nobody answers addresses, for want of a network.
  ///
  /// - Returns: Whether it is to be told: once for each time that it begins.
  mutating func noteLoss() -> Bool {
    guard gaveUpAfter == nil else { return false }
    gaveUpAfter = questions
    return true
  }

  /// Notes that somebody answers again.
  mutating func noteAnswer(question: UInt64) {
    if let gaveUpAfter, question > gaveUpAfter { self.gaveUpAfter = nil }
  }
}

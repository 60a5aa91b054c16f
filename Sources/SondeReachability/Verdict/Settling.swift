/// Holds a verdict back until it has lasted: a pure value, told the time.
struct Settling: Sendable {
  /// How long causes must last before one is corrected by another; the kernel takes an interface
  /// down in several steps, and not each of them deserves an event.
  static let causeHold = Duration.milliseconds(15)

  private let settle: Duration
  private let endpoint: String
  private var candidate: Verdict?
  /// Since when the candidate's state, online or offline, has lasted.
  private var stateBegan: Moment?
  /// Since when the candidate itself has lasted.
  private var candidateBegan: Moment?

  /// The last verdict told.
  private(set) var told: NetworkTransition?

  init(settle: Duration, endpoint: String) {
    self.settle = settle
    self.endpoint = endpoint
  }

  /// When a verdict that is held back is to be told.
  var due: Duration? {
    guard let candidate, let told, candidate != told.verdict else { return nil }
    if candidate.state != told.verdict.state { return stateBegan.map { $0.steady + settle } }
    return candidateBegan.map { $0.steady + max(settle, Self.causeHold) }
  }

  /// Takes the verdict of this moment.
  /// - Parameters:
  ///   - verdict: The verdict.
  ///   - interface: What it was judged on.
  ///   - finding: What was found out about the endpoint, where that is the cause.
  ///   - outage: What else is gone, where that is the cause.
  ///   - now: This moment.
  /// - Returns: What is to be told now, if anything.
  mutating func take(
    _ verdict: Verdict,
    interface: String?,
    finding: Finding? = nil,
    outage: NetworkOutage? = nil,
    now: Moment
  ) -> NetworkTransition? {
    if candidate?.state != verdict.state { stateBegan = now }
    if candidate != verdict { candidateBegan = now }
    candidate = verdict
    guard told == nil || due.map({ $0 <= now.steady }) == true else { return nil }
    var transition = transition(to: verdict, now: now)
    transition.interface = interface
    transition.finding = finding
    transition.outage = outage
    transition.endpoint = outage?.place ?? endpoint
    told = transition
    return transition
  }

  private func transition(to verdict: Verdict, now: Moment) -> NetworkTransition {
    let isTurn = told?.verdict.state != verdict.state
    let began = (isTurn ? stateBegan : candidateBegan) ?? now
    // The time of the loss is kept until a return is told, whose event says it again.
    let lost =
      told.flatMap { $0.verdict.isOnline ? nil : $0.lost } ?? (verdict.isOnline ? nil : began)
    return NetworkTransition(
      verdict: verdict,
      previous: told?.verdict,
      endpoint: endpoint,
      began: began,
      lost: lost
    )
  }
}

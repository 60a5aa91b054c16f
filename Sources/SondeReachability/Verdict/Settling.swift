/// Holds a verdict back until it has lasted: a pure value that is passed the time.
struct Settling: Sendable {
  /// How long a cause must last before it replaces another.
  ///
  /// The kernel takes an interface down in several steps, which should not each cause an event.
  static let causeHold = Duration.milliseconds(15)

  private let settle: Duration
  private let endpoint: String
  private var candidate: Verdict?
  /// The start of the candidate's state, online or offline.
  private var stateBegan: Moment?
  /// The start of the candidate itself.
  private var candidateBegan: Moment?

  /// The last verdict reported.
  private(set) var told: NetworkTransition?

  init(settle: Duration, endpoint: String) { (self.settle, self.endpoint) = (settle, endpoint) }

  /// When a held verdict is due.
  var due: Duration? {
    guard let candidate, let told, candidate != told.verdict else { return nil }
    if candidate.state != told.verdict.state { return stateBegan.map { $0.steady + settle } }
    return candidateBegan.map { $0.steady + max(settle, Self.causeHold) }
  }

  /// Handles the current verdict; returns the transition to report, if any.
  ///
  /// The finding about the endpoint, or the outage of something else, is the cause if not `nil`.
  mutating func take(
    _ verdict: Verdict,
    interface: String?,
    finding: Finding? = nil,
    outage: NetworkOutage? = nil,
    quality: PathQuality? = nil,
    connect: Duration? = nil,
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
    (transition.quality, transition.connect) = (quality, connect)
    transition.endpoint = outage?.place ?? endpoint
    told = transition
    return transition
  }

  private func transition(to verdict: Verdict, now: Moment) -> NetworkTransition {
    let isTurn = told?.verdict.state != verdict.state
    let began = (isTurn ? stateBegan : candidateBegan) ?? now
    return NetworkTransition(to: verdict, after: told, endpoint: endpoint, began: began)
  }
}

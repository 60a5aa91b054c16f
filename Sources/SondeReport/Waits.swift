import SondeAsking
import SondeReachability
import SondeRecords

/// What a run waits for, and who answers meanwhile.
///
/// A pure value that receives the events of the run with their times.
struct Waits: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// A quota that is used up.
  struct Quota: Sendable {
    let source: Source
    let since: Instant
    let until: Instant
  }

  /// A lost path to a provider.
  struct Loss: Sendable {
    /// As in `link_down on eth0`.
    let place: String
    let since: Instant
    /// Whether the shared server is lost.
    var isShared = false
  }

  private var quotas: [Source: Quota] = [:]
  /// In the order of their loss.
  private var losses: [(endpoint: String, loss: Loss)] = []
  /// Whether another provider answers in place of the first.
  private(set) var isHandedOver = false
  /// Whether another one ever did.
  private(set) var wasHandedOver = false
  private var idleTime = Duration.zero
  /// When answers stopped for lack of a network.
  private var idleSince: Instant?

  mutating func hear(_ event: ScanEvent, at now: Instant) {
    switch event {
    case .quota(let source, let wait, _):
      quotas[source] = Quota(source: source, since: now, until: now + wait)
    case .network(let transition):
      // The shared server has a name of its own, but its return is reported as that of a path.
      let wasShared = transition.previous == .offline(.sharedUnreachable)
      let isSame = { (loss: Loss, endpoint: String) in
        endpoint == transition.endpoint || wasShared && loss.isShared
      }
      let known = losses.first { isSame($0.loss, $0.endpoint) }
      losses.removeAll { isSame($0.loss, $0.endpoint) }
      guard let cause = transition.verdict.cause else { break }
      let place = cause.rawValue + (transition.interface.map { " on \($0)" } ?? "")
      let isShared = cause == .sharedUnreachable
      let loss = Loss(place: place, since: known?.loss.since ?? now, isShared: isShared)
      losses.append((transition.endpoint, loss))
    case .handover(_, _, let isReturn, _):
      isHandedOver = !isReturn
      wasHandedOver = wasHandedOver || !isReturn
    default: return
    }
    noteIdleness(at: now)
  }

  private mutating func noteIdleness(at now: Instant) {
    let isIdle = !losses.isEmpty && !isHandedOver
    if let since = idleSince, !isIdle { idleTime += now - since }
    idleSince = isIdle ? idleSince ?? now : nil
  }

  /// The earliest loss that has not ended.
  var loss: Loss? { losses.first?.loss }

  /// The quota with the longest wait.
  func quota(at now: Instant) -> Quota? {
    quotas.values.filter { $0.until > now }.max { $0.until < $1.until }
  }

  /// The time without answers for lack of a network, which says nothing about the pace.
  func idleTime(at now: Instant) -> Duration {
    idleTime + (idleSince.map { now - $0 } ?? .zero)
  }
}

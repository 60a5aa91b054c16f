import SondeReachability

/// Decides when to send a heartbeat: a pure value that is passed the time.
struct HeartbeatSchedule: Sendable {
  private let interval: Duration
  /// The state while online, degraded or not; `nil` while offline or unknown.
  private var state: Verdict?

  /// Whether the network is back since the last one began.
  private var isBack = false

  /// When the next one is due; `nil` while the network is offline.
  private(set) var due: ContinuousClock.Instant?

  init(interval: Duration) { self.interval = interval }

  /// Takes the state of the network: its return is an occasion to send one at once.
  mutating func take(_ verdict: Verdict, now: ContinuousClock.Instant) {
    let wasOnline = state != nil
    state = verdict.isOnline ? verdict : nil
    if !verdict.isOnline { due = nil } else if !wasOnline { (due, isBack) = (now, true) }
  }

  /// The state to send if one is due, which schedules the next.
  mutating func beat(now: ContinuousClock.Instant) -> Verdict? {
    guard let due, due <= now else { return nil }
    (self.due, isBack) = (due + interval, false)
    return state
  }

  /// Skips those that were due while one was under way.
  mutating func end(now: ContinuousClock.Instant) {
    guard let due, due <= now, !isBack else { return }
    self.due = now + interval
  }
}

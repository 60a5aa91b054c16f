/// Estimates another machine's clock from its answers: a pure value.
///
/// The estimate is never ahead of that clock by more than clock drift, so that no window is
/// considered over too early.
struct SharedClock: Sendable {
  /// The bound of clock drift: a ten-thousandth.
  private static let drift = 10_000

  /// By how much the other clock is ahead of this machine's: the lower and the upper bound.
  private var lead: Duration?
  private var most: Duration = .zero
  private var learnt: Duration = .zero

  /// Learns from a reading of the other clock, taken between two moments of this machine's clock.
  mutating func learn(_ time: Duration, sent: Duration, received: Duration) {
    let (least, most) = (time - received, time - sent)
    // A clock that was set back invalidates the bound.
    let known = lead.flatMap { [self] in $0 <= most ? slowed($0, at: received) : nil }
    // So does one that was set forward.
    let before = hurried(self.most, at: received)
    self.most = known != nil && before >= least ? min(before, most) : most
    lead = max(known ?? least, least)
    learnt = received
  }

  /// The other clock's time at a moment of this machine's clock, in whole nanoseconds; `nil` before
  /// the first reading.
  func time(at moment: Duration) -> Duration? {
    lead.map { lead in
      let (seconds, attoseconds) = (moment + slowed(lead, at: moment)).components
      return .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }
  }

  /// By how much ``time(at:)`` may be behind that clock.
  func lag(at moment: Duration) -> Duration {
    guard let lead else { return .zero }
    return max(.zero, hurried(most, at: moment) - slowed(lead, at: moment))
  }

  private func hurried(_ lead: Duration, at moment: Duration) -> Duration {
    lead + max(.zero, moment - learnt) / Self.drift
  }

  private func slowed(_ lead: Duration, at moment: Duration) -> Duration {
    lead - max(.zero, moment - learnt) / Self.drift
  }
}

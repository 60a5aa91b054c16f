/// Tells the time of another machine's clock by what it has answered: a pure value.
///
/// It is never ahead of that clock by more than what clocks drift in between, so that nobody takes a
/// window for over before it is.
struct SharedClock: Sendable {
  /// Clocks drift by less: a ten-thousandth.
  private static let drift = 10_000

  /// By how much the other clock is ahead of this machine's, at least and at most.
  private var lead: Duration?
  private var most: Duration = .zero
  private var learnt: Duration = .zero

  /// Takes what the other clock showed.
  ///
  /// - Parameters:
  ///   - time: What it showed at some moment between the two others.
  ///   - sent: When it was asked, by the clock of this machine.
  ///   - received: When its answer came.
  mutating func learn(_ time: Duration, sent: Duration, received: Duration) {
    let (least, most) = (time - received, time - sent)
    // One that was set back is not what it was.
    let known = lead.flatMap { [self] in $0 <= most ? slowed($0, at: received) : nil }
    // Nor is one that was set forward.
    let before = hurried(self.most, at: received)
    self.most = known != nil && before >= least ? min(before, most) : most
    lead = max(known ?? least, least)
    learnt = received
  }

  /// What it shows at a moment of this machine's clock, in whole nanoseconds; `nil` before it has
  /// answered.
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

/// Tells the time of another machine's clock by what it has answered: a pure value.
///
/// It is never ahead of that clock by more than what clocks drift in between, so that nobody takes a
/// window for over before it is.
struct SharedClock: Sendable {
  /// Clocks drift by less: a ten-thousandth.
  private static let drift = 10_000

  private var lead: Duration?
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

  private func slowed(_ lead: Duration, at moment: Duration) -> Duration {
    lead - max(.zero, moment - learnt) / Self.drift
  }
}

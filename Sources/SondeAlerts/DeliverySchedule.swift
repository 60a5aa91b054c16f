import SondeSystem

/// Decides when to deliver: a pure value that is passed the time.
struct DeliverySchedule: Sendable {
  /// The next step, if there is anything to deliver.
  enum Step: Equatable {
    case send
    case wait(until: ContinuousClock.Instant)
    /// Wait until the network's state changes or an alert arrives.
    case rest
  }

  private static let backoff = Backoff(base: .seconds(1), longest: .seconds(60))

  private var isOnline = false
  private var retry: ContinuousClock.Instant?

  /// The number of failures since the last success or return of the network.
  private(set) var failures = 0

  /// Sets the state of the network; its return resets the failures.
  mutating func setOnline(_ isOnline: Bool) {
    if isOnline, !self.isOnline { succeed() }
    self.isOnline = isOnline
  }

  func step(now: ContinuousClock.Instant) -> Step {
    guard isOnline else { return .rest }
    guard let retry, retry > now else { return .send }
    return .wait(until: retry)
  }

  mutating func succeed() {
    (failures, retry) = (0, nil)
  }

  /// Records a failure; the next attempt is after 50 to 100 % of 1 s · 2ⁿ, at most a minute.
  mutating func fail(
    now: ContinuousClock.Instant,
    using generator: inout some RandomNumberGenerator
  ) {
    let share = Double.random(in: 0.5...1, using: &generator)
    retry = now + Self.backoff.bound(after: failures) * share
    failures += 1
  }
}

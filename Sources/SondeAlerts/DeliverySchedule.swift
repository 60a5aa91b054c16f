/// When to try to deliver: a pure value, told the time.
struct DeliverySchedule: Sendable {
  /// What to do now, if there is anything to deliver.
  enum Step: Equatable {
    case send
    /// Not before this moment.
    case wait(until: ContinuousClock.Instant)
    /// Nothing, until the network's state changes or an alert comes.
    case rest
  }

  private var isOnline = false
  private var retry: ContinuousClock.Instant?

  /// Failures since the last success or return of the network.
  private(set) var failures = 0

  /// Notes the state of the network; its return cancels earlier failures.
  mutating func setOnline(_ isOnline: Bool) {
    if isOnline, !self.isOnline { succeed() }
    self.isOnline = isOnline
  }

  /// Says what to do.
  func step(now: ContinuousClock.Instant) -> Step {
    guard isOnline else { return .rest }
    guard let retry, retry > now else { return .send }
    return .wait(until: retry)
  }

  /// Notes that something was delivered.
  mutating func succeed() {
    failures = 0
    retry = nil
  }

  /// Notes that a delivery failed: the next try is half to all of 1 s · 2ⁿ away, a minute at most.
  mutating func fail(
    now: ContinuousClock.Instant,
    using generator: inout some RandomNumberGenerator
  ) {
    let longest = min(.seconds(1) * (1 << min(failures, 8)), Duration.seconds(60))
    retry = now + longest * Double.random(in: 0.5...1, using: &generator)
    failures += 1
  }
}

import SondeSystem

/// Decides when to probe the endpoint: a pure value that is passed the time.
struct ProbeSchedule: Sendable {
  /// A probe in progress.
  struct Attempt: Sendable {
    var number: Int
    var started: Duration
    /// The judgement of the path when the probe began.
    var judgement: PathJudgement?
  }

  /// The shortest time between the starts of two probes, so that a flapping link costs little.
  static let spacing = Duration.milliseconds(200)

  private static let backoff = Backoff(base: .milliseconds(500), longest: .seconds(5))
  private static let loginBackoff = Backoff(base: .seconds(1), longest: .seconds(60))

  /// The time between regular probes; zero for none.
  let interval: Duration
  let timeout: Duration

  /// Whether a probe begins at each interval, even while earlier ones run.
  let overlaps: Bool

  /// The running probes, the oldest first: one, unless they overlap.
  private(set) var attempts: [Attempt] = []
  private var next: Duration?
  private var started = 0
  private var lastStart: Duration?
  private var failures = 0
  private var loginPages = 0

  init(interval: Duration, timeout: Duration, overlaps: Bool = false) {
    (self.interval, self.timeout, self.overlaps) = (interval, timeout, overlaps)
  }

  /// When the next probe is due; `nil` while it must wait for a running one, or none is needed.
  var due: Duration? {
    guard overlaps || attempts.isEmpty, let next else { return nil }
    let spacing = overlaps ? min(Self.spacing, interval) : Self.spacing
    return max(next, lastStart.map { $0 + spacing } ?? next)
  }

  /// When the oldest running probe times out.
  var deadline: Duration? { attempts.first.map { $0.started + timeout } }

  /// Schedules a probe at once, or after the one that is running.
  mutating func hasten(now: Duration) { next = now }

  /// Schedules a probe soon, not at once: interfaces change often where containers come and go.
  mutating func hastenGently(now: Duration) {
    earliest(max(now, lastStart.map { $0 + .seconds(5) } ?? now))
  }

  /// Schedules a probe at once and ignores running ones, because the path has changed.
  mutating func restart(now: Duration) { (attempts, failures, next) = ([], 0, now) }

  mutating func pause() { (attempts, next) = ([], nil) }

  /// Starts the probe that is due.
  ///
  /// Before the first answer, overlapping ones follow quickly, so that a lost packet is no loss of
  /// the network.
  mutating func start(now: Duration, judgement: PathJudgement?, isFirst: Bool = false) -> Int {
    started += 1
    let pace = isFirst ? min(interval, Self.early) : interval
    (lastStart, next) = (now, overlaps ? now + pace : nil)
    attempts.append(Attempt(number: started, started: now, judgement: judgement))
    return started
  }

  private static let early = Duration.milliseconds(250)

  /// Ends the probe with a number; `nil` if its result no longer counts.
  mutating func finish(_ number: Int) -> Attempt? {
    guard let place = attempts.firstIndex(where: { $0.number == number }) else { return nil }
    return attempts.remove(at: place)
  }

  /// Ignores the running probes that began before one, during an outage that it has ended.
  mutating func ignore(before attempt: Attempt) {
    attempts.removeAll { $0.number < attempt.number }
  }

  /// Schedules the next regular probe after the path was found open.
  mutating func rest(now: Duration) {
    failures = 0
    next = interval > .zero ? (overlaps ? lastStart ?? now : now) + interval : nil
  }

  /// Resets the pauses after login pages, because the endpoint itself answered.
  mutating func forgetLoginPages() { loginPages = 0 }

  /// Schedules the next probe while the path is not open, after 0.5 s · 2ⁿ, at most 5 s and the interval.
  ///
  /// Overlapping probes keep their pace.
  mutating func backOff(now: Duration) {
    guard !overlaps else { return }
    earliest(now + pause(Self.backoff, after: failures))
    failures += 1
  }

  /// Schedules the next probe after a login page, after 1 s · 2ⁿ, at most a minute and the interval,
  /// since each probe costs the provider a request.
  mutating func backOffFromLoginPage(now: Duration) {
    if overlaps { next = nil }
    earliest(now + pause(Self.loginBackoff, after: loginPages))
    loginPages += 1
  }

  private func pause(_ backoff: Backoff, after failures: Int) -> Duration {
    let bound = backoff.bound(after: failures)
    return interval > .zero ? min(bound, interval) : bound
  }

  /// Keeps a request for an immediate probe that came while one was running.
  private mutating func earliest(_ moment: Duration) {
    next = next.map { min($0, moment) } ?? moment
  }
}

/// When to try the endpoint: a pure value, told the time.
struct ProbeSchedule: Sendable {
  /// A try under way.
  struct Attempt: Sendable {
    var number: Int
    var started: Duration
    /// The judgement of the path when it began.
    var judgement: PathJudgement?
  }

  /// At least this long from one start to the next, so that a flapping link costs little.
  static let spacing = Duration.milliseconds(200)

  /// The time between regular tries; zero for none.
  let interval: Duration

  /// How long a try may take.
  let timeout: Duration

  private(set) var attempt: Attempt?
  private var next: Duration?
  private var started = 0
  private var lastStart: Duration?
  private var failures = 0
  private var loginPages = 0

  init(interval: Duration, timeout: Duration) {
    self.interval = interval
    self.timeout = timeout
  }

  /// When the next try is due; `nil` while one is under way or none is wanted.
  var due: Duration? {
    guard attempt == nil, let next else { return nil }
    return max(next, lastStart.map { $0 + Self.spacing } ?? next)
  }

  /// When the try under way has taken too long.
  var deadline: Duration? { attempt.map { $0.started + timeout } }

  /// Wants a try at once, after one that may be under way.
  mutating func hasten(now: Duration) { next = now }

  /// Wants a try soon, not at once: where containers start and stop, other interfaces change often.
  mutating func hastenGently(now: Duration) {
    earliest(max(now, lastStart.map { $0 + .seconds(5) } ?? now))
  }

  /// Wants a try at once, and ignores one under way: the path has changed.
  mutating func restart(now: Duration) {
    attempt = nil
    failures = 0
    next = now
  }

  /// Wants none for now.
  mutating func pause() {
    attempt = nil
    next = nil
  }

  /// Begins the try that is due.
  mutating func start(now: Duration, judgement: PathJudgement?) -> Int {
    started += 1
    lastStart = now
    next = nil
    attempt = Attempt(number: started, started: now, judgement: judgement)
    return started
  }

  /// Ends the try of that number.
  /// - Returns: `nil` if it is none that still counts.
  mutating func finish(_ number: Int) -> Attempt? {
    guard let attempt, attempt.number == number else { return nil }
    self.attempt = nil
    return attempt
  }

  /// The path is open: the next regular try is an interval away.
  mutating func rest(now: Duration) {
    failures = 0
    next = interval > .zero ? now + interval : nil
  }

  /// The endpoint answered as it should: no login page is in between any more.
  mutating func forgetLoginPages() { loginPages = 0 }

  /// The path is not open: tries for its return after 0.5 s · 2ⁿ, 5 s at most.
  mutating func backOff(now: Duration) {
    earliest(now + min(.milliseconds(500) * (1 << min(failures, 8)), .seconds(5)))
    failures += 1
  }

  /// A login page answered: tries again after 1 s · 2ⁿ, a minute at most, since each try costs the
  /// provider a request.
  mutating func backOffFromLoginPage(now: Duration) {
    earliest(now + min(.seconds(1) * (1 << min(loginPages, 8)), .seconds(60)))
    loginPages += 1
  }

  /// Keeps a wish for a try at once that came while one was under way.
  private mutating func earliest(_ moment: Duration) {
    next = next.map { min($0, moment) } ?? moment
  }
}

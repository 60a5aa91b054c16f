import SondeReachability
import SondeSystem

/// Decides when to deliver: a pure value that is passed the time.
struct DeliverySchedule: Sendable {
  /// The next step, if there is anything to deliver.
  enum Step: Equatable {
    case send
    case wait(until: ContinuousClock.Instant)
    /// Wait until the network's state changes.
    case rest

    /// When a wait ends, if time ends it.
    var end: ContinuousClock.Instant? {
      switch self {
      case .wait(let end): end
      case .send, .rest: nil
      }
    }
  }

  /// A wait after a failure.
  private struct Wait: Sendable {
    let end: ContinuousClock.Instant
    /// Whether an answer has set it, so that it stands when the network is back.
    let isAnswered: Bool
  }

  private static let backoff = Backoff(base: .seconds(1), longest: .seconds(300))
  /// How long after an answer its connection is used again, which a longer rest may have ended.
  private static let longestRest = Duration.seconds(1)

  /// Whether requests go unencrypted to another machine, where a login page would read them.
  private let isExposed: Bool
  private var verdict: Verdict?
  private var wait: Wait?
  private var failures = 0
  private var lastSuccess: ContinuousClock.Instant?

  /// The number of times that the network came back.
  private(set) var returns = 0

  init(isExposed: Bool) { self.isExposed = isExposed }

  /// Whether the path is open.
  var isOnline: Bool { verdict?.isOnline == true }

  /// Sets the state of the network.
  ///
  /// - Returns: Whether it is back.
  mutating func set(_ verdict: Verdict) -> Bool {
    let isBack = verdict.isOnline && self.verdict?.isOnline == false
    if !verdict.isOnline { lastSuccess = nil }
    self.verdict = verdict
    guard isBack else { return false }
    returns += 1
    if wait?.isAnswered == false { (wait, failures) = (nil, 0) }
    return true
  }

  func step(now: ContinuousClock.Instant) -> Step {
    // The first state is known within a second, and may be a login page.
    guard let verdict, !isExposed || verdict.cause != .captivePortal else { return .rest }
    guard let wait, wait.end > now else { return .send }
    return .wait(until: wait.end)
  }

  /// Notes that the receiver has dealt with an alert.
  mutating func succeed(now: ContinuousClock.Instant) {
    (wait, failures, lastSuccess) = (nil, 0, now)
  }

  /// Whether the connection of the last answer is most likely alive: of many alerts each would take a
  /// handshake, but alerts are rare, and a connection may be dead since the last loss.
  func keepsConnection(now: ContinuousClock.Instant) -> Bool {
    lastSuccess.map { now - $0 < Self.longestRest } ?? false
  }

  /// Notes that an answer asks for another attempt, after the wait that it asks for, if any.
  mutating func postpone(
    by told: Duration?,
    now: ContinuousClock.Instant,
    using generator: inout some RandomNumberGenerator
  ) {
    wait = Wait(end: now + (told ?? pause(using: &generator)), isAnswered: true)
  }

  /// Notes that no answer came to an attempt, which began after a number of ``returns``.
  ///
  /// After a return in between, the next attempt is at once.
  mutating func goUnanswered(
    since returns: Int,
    now: ContinuousClock.Instant,
    using generator: inout some RandomNumberGenerator
  ) {
    lastSuccess = nil
    guard returns == self.returns else { return }
    wait = Wait(end: now + pause(using: &generator), isAnswered: false)
  }

  /// 1 s · 2ⁿ, at most 5 min, ± 20 %.
  private mutating func pause(using generator: inout some RandomNumberGenerator) -> Duration {
    defer { failures += 1 }
    return Self.backoff.bound(after: failures) * Double.random(in: 0.8...1.2, using: &generator)
  }
}

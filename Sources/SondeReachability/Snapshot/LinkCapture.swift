import SondeSystem
import Synchronization

/// Reads the state of links from libpcap: at each look if that is quick, otherwise in the
/// background.
///
/// With hundreds of interfaces it takes longer than the report of a loss may. Then it runs rarely
/// and on another thread, and its last result is used meanwhile. Used by one thread.
struct LinkCapture: ~Copyable {
  typealias Links = [String: CapturedLink]

  /// Its dependencies, which tests replace.
  struct World: Sendable {
    var capture: @Sendable () -> Links? = captureLinks
    var now: @Sendable () -> Duration = { Clocks.steady }
    /// Runs work on another thread; returns whether it could.
    var run: @Sendable (@escaping @Sendable () -> Void) -> Bool = { body in
      guard let thread = try? Thread({ body() }) else { return false }
      thread.detach()
      return true
    }
  }

  /// The longest time to wait for libpcap.
  static let quick = Duration.milliseconds(10)

  /// The pause between two calls, as a multiple of their duration.
  static let restFactor = 20

  private struct Outcome {
    let links: Links?
    let began: Duration
    let ended: Duration
  }

  /// A call on another thread.
  private final class Attempt: Sendable {
    let outcome = Mutex<Outcome?>(nil)
  }

  private let world: World
  private var latest: Outcome?
  /// The duration of a call: the shorter of the last two, since either may have been delayed.
  private var cost = Duration.zero
  private var attempt: Attempt?

  init(_ world: World = World()) { self.world = world }

  /// The links by name, `nil` on failure; and whether they are current.
  mutating func read() -> (links: Links?, isCurrent: Bool) {
    if let outcome = attempt?.outcome.withLock(\.self) {
      attempt = nil
      take(outcome)
    }
    guard let latest, cost > Self.quick else { return readHere() }
    let isDue = world.now() - latest.ended >= cost * Self.restFactor
    if attempt == nil, isDue, !begin() { return readHere() }
    return (latest.links, false)
  }

  private mutating func readHere() -> (links: Links?, isCurrent: Bool) {
    let outcome = Self.ask(world.capture, world.now)
    take(outcome)
    return (outcome.links, true)
  }

  private mutating func begin() -> Bool {
    let attempt = Attempt()
    let hasBegun = world.run { [world] in
      let outcome = Self.ask(world.capture, world.now)
      attempt.outcome.withLock { $0 = outcome }
    }
    if hasBegun { self.attempt = attempt }
    return hasBegun
  }

  private static func ask(_ capture: () -> Links?, _ now: () -> Duration) -> Outcome {
    let began = now()
    let links = capture()
    return Outcome(links: links, began: began, ended: now())
  }

  private mutating func take(_ outcome: Outcome) {
    let former = latest.map { $0.ended - $0.began } ?? .zero
    cost = min(former, outcome.ended - outcome.began)
    latest = outcome
  }
}

import Synchronization
import System

/// Asks libpcap for the links at each look while that is cheap.
///
/// With hundreds of interfaces it takes as long as a loss may go untold. Then it is asked seldom, and
/// on another thread; meanwhile what it said last counts. Used by one thread.
struct LinkCapture: ~Copyable {
  typealias Links = [String: CapturedLink]

  /// What it needs of the world.
  struct World: Sendable {
    var capture: @Sendable () -> Links? = captureLinks
    var now: @Sendable () -> Duration = { Clocks.steady }
    /// Runs something beside; says whether it could.
    var run: @Sendable (@escaping @Sendable () -> Void) -> Bool = { body in
      guard let thread = try? Thread({ body() }) else { return false }
      thread.detach()
      return true
    }
  }

  /// Longer than this it is not waited for.
  static let quick = Duration.milliseconds(10)

  /// So many times as long as it took, it is left alone.
  static let restFactor = 20

  private struct Outcome {
    let links: Links?
    let began: Duration
    let ended: Duration
  }

  /// An asking on another thread.
  private final class Attempt: Sendable {
    let outcome = Mutex<Outcome?>(nil)
  }

  private let world: World
  private var latest: Outcome?
  /// How long it takes; of the last two times the shorter, for either may have been held up.
  private var cost = Duration.zero
  private var attempt: Attempt?

  init(_ world: World = World()) { self.world = world }

  /// What libpcap says.
  /// - Returns: The links by name, `nil` when it fails; and whether that is of this moment.
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

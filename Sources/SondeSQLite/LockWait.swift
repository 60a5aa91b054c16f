import SondeSystem
import Synchronization

/// How long the calls of one database wait for locks that others hold.
///
/// The time is set before the calls; another thread may shorten it while they wait.
public final class LockWait: Sendable {
  private struct State {
    var end = Duration.zero
    /// Nobody waits beyond this, even where a call may wait longer.
    var latest: Duration?
  }

  private let state = Mutex(State())

  /// Waits for nothing yet.
  public init() {}

  /// Begins to wait, for so long at most.
  public func begin(_ limit: Duration) {
    state.withLock { $0.end = Clocks.steady + limit }
  }

  /// Limits every wait, present and future, to so long from now.
  public func hurry(_ limit: Duration) {
    state.withLock { $0.latest = Clocks.steady + limit }
  }

  /// Takes that limit away.
  public func relax() { state.withLock { $0.latest = nil } }

  /// Whether the time to wait is over.
  public var isOver: Bool {
    let now = Clocks.steady
    return state.withLock { now >= min($0.end, $0.latest ?? $0.end) }
  }
}

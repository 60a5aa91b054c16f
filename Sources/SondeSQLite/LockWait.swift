import SondeSystem
import Synchronization

/// How long the calls of a database wait for other processes' locks.
///
/// The time is set before a call; another thread may shorten it during the wait.
public final class LockWait: Sendable {
  private struct State {
    var end = Duration.zero
    /// The end of all waits, regardless of longer limits.
    var latest: Duration?
  }

  private let state = Mutex(State())

  /// Creates a limit for calls that do not wait.
  public init() {}

  /// Starts a wait with a time limit.
  public func begin(_ limit: Duration) { state.withLock { $0.end = Clocks.steady + limit } }

  /// Limits all current and later waits to a time from now.
  public func hurry(_ limit: Duration) { state.withLock { $0.latest = Clocks.steady + limit } }

  /// Removes that limit.
  public func relax() { state.withLock { $0.latest = nil } }

  /// Whether the time to wait is over.
  public var isOver: Bool {
    let now = Clocks.steady
    return state.withLock { now >= min($0.end, $0.latest ?? $0.end) }
  }
}

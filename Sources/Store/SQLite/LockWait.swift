import Synchronization
import System

/// How long the calls of one database wait for locks that others hold.
///
/// The time is set before the calls; another thread may shorten it while they wait.
final class LockWait: Sendable {
  private struct State {
    var end = Duration.zero
    /// Nobody waits beyond this, whatever the end is.
    var latest: Duration?
  }

  private let state = Mutex(State())

  /// Begins to wait so long at most.
  func begin(_ limit: Duration) {
    state.withLock { $0.end = Clocks.steady + limit }
  }

  /// Lets everybody who waits, and everybody who will, wait only so long from now.
  func hurry(_ limit: Duration) {
    state.withLock { $0.latest = Clocks.steady + limit }
  }

  /// Ends the hurry.
  func relax() { state.withLock { $0.latest = nil } }

  /// Whether it has been waited long enough.
  var isOver: Bool {
    let now = Clocks.steady
    return state.withLock { now >= min($0.end, $0.latest ?? $0.end) }
  }
}

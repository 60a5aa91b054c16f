import Synchronization

/// Counts the requests of a run, and ends them at `--max-requests`.
public final class RequestBudget: Sendable {
  private let limit: Int?
  private let counts = Mutex((sent: 0, throttled: 0))

  /// - Parameter limit: The most requests; `nil` is without end.
  public init(limit: Int?) { self.limit = limit }

  /// Requests sent.
  public var sent: Int { counts.withLock { $0.sent } }

  /// Requests answered with 429.
  public var throttled: Int { counts.withLock { $0.throttled } }

  var exhaustion: String { "stopped after \(limit ?? 0) requests (--max-requests)" }

  /// Whether no more may be sent.
  var isSpent: Bool { counts.withLock { $0.sent >= limit ?? .max } }

  func take() -> Bool {
    counts.withLock { counts in
      guard counts.sent < limit ?? .max else { return false }
      counts.sent += 1
      return true
    }
  }

  /// Takes a request back that came to nothing before it was sent.
  func giveBack() { counts.withLock { $0.sent -= 1 } }

  /// Counts a request that is sent whatever the limit: it looks for the end of a login page.
  func countProbe() { counts.withLock { $0.sent += 1 } }

  func countThrottled() { counts.withLock { $0.throttled += 1 } }
}

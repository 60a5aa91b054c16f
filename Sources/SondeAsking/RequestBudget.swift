import Synchronization

/// How many requests were sent.
public struct RequestCount: Sendable, Equatable {
  /// All of them.
  public var sent = 0

  /// Those that were answered with 429.
  public var throttled = 0

  /// Counts none.
  public init() {}
}

/// Counts the requests of a run, and ends them at `--max-requests`.
public final class RequestBudget: Sendable {
  private let limit: Int?
  private let counts = Mutex(RequestCount())

  /// - Parameter limit: The most requests; `nil` is without end.
  public init(limit: Int?) { self.limit = limit }

  /// Requests sent.
  public var sent: Int { counts.withLock { $0.sent } }

  /// Requests answered with 429.
  public var throttled: Int { counts.withLock { $0.throttled } }

  var exhaustion: String {
    let limit = limit ?? 0
    return "stopped after \(limit) request\(limit == 1 ? "" : "s") (--max-requests)"
  }

  /// Whether no more may be sent.
  var isSpent: Bool { counts.withLock { $0.sent >= limit ?? .max } }

  /// Counts a request that is about to be sent, if there is room for it.
  func spend() -> Bool {
    counts.withLock { counts in
      guard counts.sent < limit ?? .max else { return false }
      counts.sent += 1
      return true
    }
  }

  /// Takes a request back of which nothing was sent.
  func refund() { counts.withLock { $0.sent -= 1 } }

  func countThrottled() { counts.withLock { $0.throttled += 1 } }
}

import Synchronization

/// The number of requests sent.
public struct RequestCount: Sendable, Equatable {
  /// All requests.
  public var sent = 0

  /// The requests answered with 429.
  public var throttled = 0

  /// Creates a count of zero.
  public init() {}
}

/// Counts the requests of a run, and limits them to `--max-requests`.
public final class RequestBudget: Sendable {
  private let limit: Int?
  private let counts = Mutex(RequestCount())

  /// - Parameter limit: The largest number of requests; `nil` for no limit.
  public init(limit: Int?) { self.limit = limit }

  /// The number of requests sent.
  public var sent: Int { counts.withLock { $0.sent } }

  /// The number of requests answered with 429.
  public var throttled: Int { counts.withLock { $0.throttled } }

  var exhaustion: String {
    let limit = limit ?? 0
    return "stopped after \(limit) request\(limit == 1 ? "" : "s") (--max-requests)"
  }

  /// Whether no more requests may be sent.
  var isSpent: Bool { counts.withLock { $0.sent >= limit ?? .max } }

  /// Counts a request that is about to be sent, if the limit permits.
  func spend() -> Bool {
    counts.withLock { counts in
      guard counts.sent < limit ?? .max else { return false }
      counts.sent += 1
      return true
    }
  }

  /// Removes a request that was not sent from the count.
  func refund() { counts.withLock { $0.sent -= 1 } }

  func countThrottled() { counts.withLock { $0.throttled += 1 } }
}

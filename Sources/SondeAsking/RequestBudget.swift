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
  /// Who is asked.
  public enum Kind: Sendable {
    /// A provider, or a service of a source.
    case service
    /// An address registry, whose requests are reported apart.
    case registry
  }

  private struct Counts {
    var services = RequestCount()
    var registries = RequestCount()

    subscript(kind: Kind) -> RequestCount {
      get { kind == .service ? services : registries }
      set { if kind == .service { services = newValue } else { registries = newValue } }
    }

    var sent: Int { services.sent + registries.sent }
  }

  private let limit: Int?
  private let counts = Mutex(Counts())

  /// - Parameter limit: The largest number of requests; `nil` for no limit.
  public init(limit: Int?) { self.limit = limit }

  /// The number of requests sent, without those to registries.
  public var sent: Int { counts.withLock { $0.services.sent } }

  /// The number of requests answered with 429, without those to registries.
  public var throttled: Int { counts.withLock { $0.services.throttled } }

  /// The requests sent to address registries.
  public var registries: RequestCount { counts.withLock { $0.registries } }

  /// Why no more requests may be sent.
  public var exhaustion: String {
    let limit = limit ?? 0
    return "stopped after \(limit) request\(limit == 1 ? "" : "s") (--max-requests)"
  }

  /// Whether no more requests may be sent.
  public var isSpent: Bool { counts.withLock { $0.sent >= limit ?? .max } }

  /// Counts a request that is about to be sent, if the limit permits.
  public func spend(_ kind: Kind = .service) -> Bool {
    counts.withLock { counts in
      guard counts.sent < limit ?? .max else { return false }
      counts[kind].sent += 1
      return true
    }
  }

  /// Removes a request that was not sent from the count.
  public func refund(_ kind: Kind = .service) { counts.withLock { $0[kind].sent -= 1 } }

  /// Counts an answer with 429.
  public func countThrottled(_ kind: Kind = .service) {
    counts.withLock { $0[kind].throttled += 1 }
  }
}

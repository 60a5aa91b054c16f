public import SondeProviders
import Synchronization

/// The rate that a user sets for one provider, across all its forms and users in this process.
public final class RequestRate: Sendable {
  /// The largest number of requests in any period of this length.
  public let allowance: Allowance

  private let pace: Mutex<Pace>

  /// Creates a rate without requests.
  public init(_ allowance: Allowance) {
    self.allowance = allowance
    pace = Mutex(Pace(allowance))
  }

  /// Reserves one request, or returns what to wait for.
  func reserve(now: Duration) -> Pace.Decision { pace.withLock { $0.reserve(now: now) } }

  /// Records the end of a request, and whether it may have reached the provider.
  func settle(wasSent: Bool, now: Duration) {
    pace.withLock { $0.settle(wasSent: wasSent, now: now) }
  }
}

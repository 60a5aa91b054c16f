public import SondeProviders
import Synchronization

/// The rate that a user sets for what one provider is asked, in all its forms and by all who ask it in this
/// process.
public final class RequestRate: Sendable {
  /// The most requests in any stretch of time of this length.
  public let allowance: Allowance

  private let pace: Mutex<Pace>

  /// Begins without any request.
  public init(_ allowance: Allowance) {
    self.allowance = allowance
    pace = Mutex(Pace(allowance))
  }

  /// Takes leave to send one request, or says what to wait for.
  func reserve(now: Duration) -> Pace.Decision { pace.withLock { $0.reserve(now: now) } }

  /// Notes that a request has ended, and whether it may have reached the provider.
  func settle(wasSent: Bool, now: Duration) {
    pace.withLock { $0.settle(wasSent: wasSent, now: now) }
  }
}

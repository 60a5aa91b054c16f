/// A number of requests per period, as published by a provider or given by `--rate`.
public struct Allowance: Sendable, Equatable {
  /// The number of requests in a window.
  public var requests: Int

  /// The length of a window.
  public var period: Duration

  /// Creates an allowance.
  public init(requests: Int, per period: Duration) {
    (self.requests, self.period) = (requests, period)
  }

  /// A copy whose window has at most this length.
  func lasting(atMost longest: Duration) -> Allowance {
    Allowance(requests: requests, per: min(period, longest))
  }

  /// The total length of the windows that end before the last of some requests is sent.
  package func windows(before requests: Int) -> Duration {
    period * ((requests - 1) / self.requests)
  }
}

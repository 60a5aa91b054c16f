/// Exponential backoff: waits that double with each failure, up to the longest.
public struct Backoff: Sendable {
  /// The upper bound of the first wait.
  public var base: Duration

  /// The upper bound of all waits.
  public var longest: Duration

  /// Makes a backoff; by default, that of requests.
  public init(base: Duration = .milliseconds(500), longest: Duration = .seconds(30)) {
    (self.base, self.longest) = (base, longest)
  }

  /// The upper bound of the next wait after a number of waits: `min(longest, base · 2^waits)`.
  public func bound(after waits: Int) -> Duration {
    min(longest, base * (1 << min(max(0, waits), 20)))
  }

  /// The wait before the next attempt after a number of consecutive failures, with full jitter: a
  /// random time below the bound.
  ///
  /// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
  public func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
    // A Double has 53 bits; draws once, whatever the result.
    bound(after: attempt - 1) * (Double(generator.next() >> 11) * 0x1p-53)
  }
}

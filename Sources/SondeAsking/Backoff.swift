/// Exponential backoff with full jitter: a random time below `min(longest, base · 2^(attempt − 1))`.
///
/// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
public struct Backoff: Sendable {
  /// The upper bound of the first wait.
  public var base = Duration.milliseconds(500)

  /// The upper bound of all waits.
  public var longest = Duration.seconds(30)

  /// Makes the default backoff.
  public init() {}

  /// The wait before the next attempt after a number of consecutive failures.
  public func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
    let doublings = min(max(0, attempt - 1), 20)
    let bound = min(longest, base * (1 << doublings))
    // A Double has 53 bits; draws once, whatever the result.
    return bound * (Double(generator.next() >> 11) * 0x1p-53)
  }
}

/// Exponential backoff with full jitter: a random time below `min(longest, base · 2^(attempt − 1))`.
///
/// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
public struct Backoff: Sendable {
  /// The bound of the first wait.
  public var base = Duration.milliseconds(500)

  /// The bound of every wait.
  public var longest = Duration.seconds(30)

  /// Makes the default backoff.
  public init() {}

  /// The wait before the next try after `attempt` failures in a row, the first being 1.
  public func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
    let doublings = min(max(0, attempt - 1), 20)
    let bound = min(longest, base * (1 << doublings))
    // 53 bits are what a Double holds; one draw, whatever the generator gives.
    return bound * (Double(generator.next() >> 11) * 0x1p-53)
  }
}

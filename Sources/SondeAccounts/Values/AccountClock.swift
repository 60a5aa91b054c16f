import SondeSystem

/// The source of the time.
public struct AccountClock: Sendable {
  /// The time since 1970 UTC, by which links and sessions expire.
  public let wall: @Sendable () -> Duration

  /// The time on a clock that never jumps, by which failed attempts are delayed.
  public let steady: @Sendable () -> Duration

  /// Creates a source from two clocks.
  public init(
    wall: @escaping @Sendable () -> Duration,
    steady: @escaping @Sendable () -> Duration
  ) {
    (self.wall, self.steady) = (wall, steady)
  }

  /// The machine's clocks.
  public static let system = AccountClock(wall: { Clocks.wall }, steady: { Clocks.steady })
}

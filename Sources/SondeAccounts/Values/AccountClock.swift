import SondeSystem

/// Tells the time.
public struct AccountClock: Sendable {
  /// The time since 1970 UTC, by which links and sessions end.
  public let wall: @Sendable () -> Duration

  /// The time since any moment, on a clock that never jumps, by which who fails has to wait.
  public let steady: @Sendable () -> Duration

  /// Takes two clocks.
  public init(
    wall: @escaping @Sendable () -> Duration,
    steady: @escaping @Sendable () -> Duration
  ) {
    (self.wall, self.steady) = (wall, steady)
  }

  /// The machine's clocks.
  public static let system = AccountClock(wall: { Clocks.wall }, steady: { Clocks.steady })
}

/// A moment on two clocks: one for calculation, one for display.
public struct Moment: Hashable, Sendable {
  /// Time on a clock that never jumps and runs during sleep, too (`CLOCK_BOOTTIME`).
  public var steady: Duration

  /// Time since 1970 UTC, by the machine's clock at that moment.
  public var wall: Duration

  /// Creates a moment, for example for a test.
  public init(steady: Duration, wall: Duration) { (self.steady, self.wall) = (steady, wall) }
}

/// A moment on two clocks: one to calculate with, one to show.
public struct Moment: Hashable, Sendable {
  /// On a clock that never jumps and also runs while the machine sleeps (`CLOCK_BOOTTIME`).
  public var steady: Duration

  /// Since 1970 UTC, as the machine's clock was set at that moment.
  public var wall: Duration

  /// Makes a moment, for instance for a test.
  public init(steady: Duration, wall: Duration) {
    self.steady = steady
    self.wall = wall
  }
}

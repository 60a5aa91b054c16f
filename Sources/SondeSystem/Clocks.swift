import Glibc

/// The machine's clocks.
public enum Clocks {
  /// The time since the machine was started, on a clock that never jumps and also runs while
  /// the machine sleeps (`CLOCK_BOOTTIME`).
  public static var steady: Duration { time(CLOCK_BOOTTIME) }

  /// The time since 1970 UTC, as the machine's clock is set (`CLOCK_REALTIME`).
  public static var wall: Duration { time(CLOCK_REALTIME) }

  private static func time(_ clock: clockid_t) -> Duration {
    var value = timespec()
    unsafe clock_gettime(clock, &value)
    return Duration(value)
  }
}

extension Duration {
  /// The time that the system tells.
  init(_ time: timespec) { self = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) }

  /// For poll(2): rounded up, so as not to wake before the time; a day at most.
  public var wholeMilliseconds: Int32 {
    let bounded = min(max(self, .zero), .seconds(86_400))
    let (seconds, attoseconds) = bounded.components
    return Int32(seconds) * 1000
      + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

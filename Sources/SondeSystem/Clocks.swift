import Glibc

/// The machine's clocks.
public enum Clocks {
  /// The time since the machine was booted, on a clock that never jumps and runs during sleep, too
  /// (`CLOCK_BOOTTIME`).
  public static var steady: Duration { time(CLOCK_BOOTTIME) }

  /// The time since 1970 UTC by the machine's clock (`CLOCK_REALTIME`).
  public static var wall: Duration { time(CLOCK_REALTIME) }

  private static func time(_ clock: clockid_t) -> Duration {
    var value = timespec()
    unsafe clock_gettime(clock, &value)
    return Duration(value)
  }
}

extension Duration {
  init(_ time: timespec) { self = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) }

  /// The duration for poll(2), rounded up so as not to wake early, and at most a day.
  public var wholeMilliseconds: Int32 {
    let bounded = min(max(self, .zero), .seconds(86_400))
    let (seconds, attoseconds) = bounded.components
    return Int32(seconds) * 1000
      + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

/// The longest wait accepted from a provider.
///
/// A header can contain anything, and over plain HTTP it can be forged on the path. A wait beyond
/// the provider's own window is cut to that, in headers and in ledgers; then a single request finds
/// out whether it is over.
public enum BelievableWait: Sendable, Equatable {
  /// At most this long.
  case atMost(Duration)
  /// Until the provider's next day or month has begun in all time zones that it may use.
  case untilNext(CalendarWindow)

  /// How long a day or month lasts beyond its end in UTC.
  private static let grace = Duration.seconds(3600)

  /// The longest wait accepted at a moment, in time since 1970 UTC; for a day or a month its end is
  /// the same during the whole of it.
  public func longest(at wall: Duration) -> Duration {
    switch self {
    case .atMost(let time): return time
    case .untilNext(let window):
      let (seconds, attoseconds) = max(.zero, wall).components
      let fraction = Duration(secondsComponent: 0, attosecondsComponent: attoseconds)
      return window.rest(at: seconds) - fraction + Self.grace
    }
  }
}

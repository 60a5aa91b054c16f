/// The longest wait that a provider is believed to ask for.
///
/// A header can say anything, and over plain HTTP anybody on the path can write it. A longer wait than
/// the provider's own window can last is cut to that, in headers and in what a ledger holds; then one
/// request alone finds out whether it is over.
public enum BelievableWait: Sendable, Equatable {
  /// At most so long.
  case atMost(Duration)
  /// Until the provider's next day or month has begun everywhere that it may count from.
  case untilNext(CalendarWindow)

  /// How long a day or month is waited for beyond its end by UTC.
  private static let grace = Duration.seconds(3600)

  /// The longest wait that is believed at a moment.
  ///
  /// - Parameter wall: The time since 1970 UTC.
  /// - Returns: The wait; for a day or a month it ends at the same moment whenever it begins in that.
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

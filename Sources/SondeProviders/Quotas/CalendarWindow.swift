import SondeRecords
import SondeSystem

/// A quota's window that is a day or month of UTC.
public enum CalendarWindow: Sendable {
  /// From midnight to midnight.
  case day
  /// From the first of a month to the next.
  case month

  /// The last second of the year 9999, the limit for dates.
  private static let lastSecond: Int64 = 253_402_300_799

  /// The time until the next one begins, in whole seconds, at least one; `time` is in seconds since
  /// 1970 UTC.
  func rest(at time: Int64) -> Duration {
    let seconds = min(max(0, time), Self.lastSecond)
    guard self == .month else { return .seconds(86_400 - seconds % 86_400) }
    let date = Timestamp(seconds: seconds).wholeSeconds.split(separator: "-")
    guard let year = Int64(date[0]), let month = Int64(date[1]) else { return .seconds(86_400) }
    let next = RetryAfter.daysSince1970(
      year: month == 12 ? year + 1 : year,
      month: month % 12 + 1,
      day: 1
    )
    return .seconds(next * 86_400 - seconds)
  }
}

package import SondeSystem

/// A value of the occurrence that a record stands for.
enum OccurrenceValue: Sendable {
  case time, hour, day, hourOfDay, weekday, text

  /// The value of a time in milliseconds since 1970 UTC, as text.
  func text(of time: Int64, in zone: TimeZoneRules) -> String {
    let seconds = time.dividedDown(by: 1000)
    let clock = ClockFace(seconds, in: self == .time ? .utc : zone)
    return switch self {
    case .time: clock.date + "T" + clock.timeWithSeconds + "Z"
    case .hour: clock.hourStart
    case .day: clock.date
    case .hourOfDay: "\(clock.hour)"
    case .weekday: ClockFace.weekdays[Int(clock.weekday)]
    case .text: ""
    }
  }
}

extension ClockFace {
  /// The start of the hour: `2015-05-17T10:00Z`.
  package var hourStart: String {
    let hour = hour < 10 ? "0\(hour)" : "\(hour)"
    return date + "T" + hour + ":00" + offset
  }
}

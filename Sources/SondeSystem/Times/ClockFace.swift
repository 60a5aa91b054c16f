/// The time shown by the clocks of a zone.
package struct ClockFace {
  private let day: CivilDate
  private let seconds: Int64
  private let ahead: Int64
  private let isUTC: Bool

  /// Determines the local time of a moment, given in seconds since 1970 UTC.
  package init(_ moment: Int64, in zone: TimeZoneRules) {
    ahead = zone.stretch(at: moment).offset
    isUTC = zone.isUTC
    let local = moment + ahead
    let number = local.dividedDown(by: secondsOfDay)
    day = CivilDate(number: number)
    seconds = local - number * secondsOfDay
  }

  /// The days since 1970-01-01.
  package var dayNumber: Int64 { day.number }
  /// The hour of the day, from 0.
  package var hour: Int64 { seconds / 3600 }
  /// The day of the week, an index in ``weekdays``.
  package var weekday: Int64 { ((dayNumber + 3) % 7 + 7) % 7 }
  package static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  /// `2015-05-17`.
  package var date: String { day.text }
  /// `17 May 2015`.
  package var words: String { day.words }
  /// `17 May 2015, 10:05`.
  package var moment: String { words + ", " + time }
  /// `10:05`.
  package var time: String { twoDigits(seconds / 3600) + ":" + twoDigits(seconds / 60 % 60) }
  /// `10:05:03`.
  package var timeWithSeconds: String { time + ":" + twoDigits(seconds % 60) }
  /// `Z`, or the offset from UTC: `+09:00`.
  package var offset: String {
    guard !isUTC else { return "Z" }
    let minutes = abs(ahead) / 60
    return (ahead < 0 ? "-" : "+") + twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60)
  }
}

extension CivilDate {
  /// `2015-05-17`.
  package var text: String { "\(year)-" + twoDigits(Int64(month)) + "-" + twoDigits(Int64(day)) }

  /// `17 May 2015`.
  package var words: String { "\(day) \(Self.months[month - 1]) \(year)" }
}

private func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

extension Timeline {
  /// The largest number of hours or days in a table without gaps: 41 years of days.
  ///
  /// Otherwise, for example, an unset clock that logged 1970 would add twenty thousand empty days.
  static let mostRows = 15_000

  /// The timeline as a table without gaps; beyond ``mostRows``, rows without hits are omitted.
  ///
  /// `hits` is the number of all hits of the summary. `nil` if nothing was counted.
  func table(_ kind: SummaryTable.Kind, hits: Int) -> SummaryTable? {
    let hours = counted
    guard let first = hours.keys.min(), let last = hours.keys.max() else { return nil }
    let rows = kind == .hour ? rows(ofHours: hours, first, last) : rows(ofDays: hours, first, last)
    return SummaryTable(
      kind: kind,
      rows: rows.map { row in
        var row = row
        row.share = SummaryTable.Row.share(row.hits, of: hits)
        return row
      }
    )
  }

  private func rows(
    ofHours hours: [Int64: Int],
    _ first: Int64,
    _ last: Int64
  ) -> [SummaryTable.Row] {
    // An hour that begins within another one, because of a clock change, is between the hours.
    var starts = Array(hours.keys)
    let isTooLong = (last - first) / 3600 >= Self.mostRows
    var start = isTooLong ? last : first
    while start < last {
      start = hour(behind: start)
      if start <= last, hours[start] == nil { starts.append(start) }
    }
    return starts.sorted().map { start in
      let clock = ClockFace(start, in: zone)
      let key = clock.date + "T" + clock.time + clock.offset
      return row(key, clock.moment, hits: hours[start] ?? 0, start: start)
    }
  }

  private func rows(
    ofDays hours: [Int64: Int],
    _ first: Int64,
    _ last: Int64
  ) -> [SummaryTable.Row] {
    var days: [Int64: Int] = [:]
    for (start, hits) in hours { days[day(of: start), default: 0] += hits }
    let all = day(of: first)...max(day(of: first), day(of: last))
    return (all.count > Self.mostRows ? days.keys.sorted() : Array(all)).map { day in
      let date = CivilDate(number: day)
      let start = zone.moment(at: day * secondsOfDay)
      return row(date.text, date.words, hits: days[day] ?? 0, start: start)
    }
  }

  private func row(_ key: String, _ name: String, hits: Int, start: Int64) -> SummaryTable.Row {
    SummaryTable.Row(key: key, name: name, addresses: nil, hits: hits, share: 0, start: start)
  }
}

/// The time shown by the clocks of a zone.
struct ClockFace {
  private let day: CivilDate
  private let seconds: Int64
  private let ahead: Int64
  private let isUTC: Bool

  /// Determines the local time of a moment, given in seconds since 1970 UTC.
  init(_ moment: Int64, in zone: TimeZoneRules) {
    ahead = zone.stretch(at: moment).offset
    isUTC = zone.isUTC
    let local = moment + ahead
    let number = local.dividedDown(by: secondsOfDay)
    day = CivilDate(number: number)
    seconds = local - number * secondsOfDay
  }

  /// The days since 1970-01-01.
  var dayNumber: Int64 { day.number }
  /// The hour of the day, from 0.
  var hour: Int64 { seconds / 3600 }
  /// The day of the week, an index in ``weekdays``.
  var weekday: Int64 { ((dayNumber + 3) % 7 + 7) % 7 }
  static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  /// `2015-05-17`.
  var date: String { day.text }
  /// `17 May 2015`.
  var words: String { day.words }
  /// `17 May 2015, 10:05`.
  var moment: String { words + ", " + time }
  /// `10:05`.
  var time: String { twoDigits(seconds / 3600) + ":" + twoDigits(seconds / 60 % 60) }
  /// `Z`, or the offset from UTC: `+09:00`.
  var offset: String {
    guard !isUTC else { return "Z" }
    let minutes = abs(ahead) / 60
    return (ahead < 0 ? "-" : "+") + twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60)
  }
}

extension CivilDate {
  /// `2015-05-17`.
  var text: String { "\(year)-" + twoDigits(Int64(month)) + "-" + twoDigits(Int64(day)) }

  /// `17 May 2015`.
  var words: String { "\(day) \(Self.months[month - 1]) \(year)" }
}

private func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

import SondeSystem

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

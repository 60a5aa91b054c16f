extension TimeZoneRules {
  /// The hour of the day at a moment, and when the clocks show another one; moments are in
  /// milliseconds since 1970 UTC.
  package func hour(at moment: Int64) -> (ofDay: Int, end: Int64) {
    let seconds = moment.dividedDown(by: 1000)
    let stretch = stretch(at: seconds)
    let hours = (seconds + stretch.offset).dividedDown(by: 3600)
    let end = min((hours + 1) * 3600 - stretch.offset, stretch.range.upperBound)
    return (Int(hours - hours.dividedDown(by: 24) * 24), end * 1000)
  }

  /// The day at a moment, as `2015-05-17`, and its range; moments are in milliseconds since 1970
  /// UTC.
  package func day(at moment: Int64) -> (date: String, range: Range<Int64>) {
    let seconds = moment.dividedDown(by: 1000)
    let number = (seconds + stretch(at: seconds).offset).dividedDown(by: secondsOfDay)
    let (start, end) = (
      self.moment(at: number * secondsOfDay), self.moment(at: (number + 1) * secondsOfDay)
    )
    // Never empty, so that who goes from day to day arrives.
    return (CivilDate(number: number).text, start * 1000..<max(end, seconds + 1) * 1000)
  }

  /// A moment in milliseconds since 1970 UTC, as `2015-05-17 10:05:03`.
  package func moment(of milliseconds: Int64) -> String {
    let clock = ClockFace(milliseconds.dividedDown(by: 1000), in: self)
    return clock.date + " " + clock.timeWithSeconds
  }
}

/// A month by its three-letter name in logs.
struct MonthName {
  /// From 1.
  let number: Int

  /// Parses a month; `nil` if there is none.
  @inline(__always)
  init?(_ text: Span<UInt8>, _ start: Int, _ end: Int) {
    guard start &+ 3 <= end else { return nil }
    let letters = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32(text[start &+ $1]) }
    guard let index = Self.names.firstIndex(of: letters) else { return nil }
    number = index + 1
  }

  /// The letters of each as a number.
  private static let names = CivilDate.months.map { name in
    name.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }
}

extension MonthName {
  /// A time that begins with the name of the month: `May 17 10:05:03` as in RFC 3164, also with the
  /// year before the time (Cisco) or after it (Apache's error log, ctime).
  struct Stamp {
    /// The date, with year 0 if it is missing.
    var date: CivilDate
    private let seconds: Int64
    private let milliseconds: Int64
    private let offset: Int64?
    private let end: Int

    /// Parses a time, whether the date exists or not; `nil` if there is none.
    init?(_ text: Span<UInt8>, _ start: Int, _ end: Int) {
      guard start &+ 15 <= end, text[start &+ 3] == UInt8(ascii: " "),
        let month = MonthName(text, start, end)
      else { return nil }
      // The day has two columns, or a single digit.
      var position = start &+ 4
      while position < end, text[position] == UInt8(ascii: " "), position < start &+ 6 {
        position &+= 1
      }
      guard let (day, behind) = Self.number(text, position, end, most: 2),
        behind < end, text[behind] == UInt8(ascii: " ")
      else { return nil }
      date = CivilDate(year: 0, month: month.number, day: day)
      position = behind &+ 1
      if let year = text.decimal(position, 4), position &+ 4 < end,
        text[position &+ 4] == UInt8(ascii: " ")
      {
        date.year = year
        position &+= 5
      }
      guard position &+ 8 <= end, let hour = text.decimal(position, 2), hour < 24,
        let clock = ClockDigits.behindHour(text, position &+ 2, end)
      else { return nil }
      seconds = Int64(hour * 3600 + clock.seconds)
      milliseconds = Int64(clock.milliseconds)
      let zone = ZoneText(text, clock.end, end)
      offset = zone?.offset
      position = zone?.end ?? clock.end
      if date.year == 0, position &+ 5 <= end, text[position] == UInt8(ascii: " "),
        let year = text.decimal(position &+ 1, 4), CivilDate.years.contains(year),
        position &+ 5 == end || !text[position &+ 5].isDecimal
      {
        date.year = year
        position &+= 5
      }
      self.end = position
    }

    /// The time; the date must be valid.
    var time: FoundTime {
      FoundTime(
        local: date.number * secondsOfDay + seconds,
        milliseconds: milliseconds,
        offset: offset,
        end: end
      )
    }

    private static func number(
      _ text: Span<UInt8>,
      _ start: Int,
      _ end: Int,
      most: Int
    ) -> (Int, behind: Int)? {
      var (value, position) = (0, start)
      while position < end, position < start &+ most, text[position].isDecimal {
        value = value &* 10 &+ Int(text[position] &- UInt8(ascii: "0"))
        position &+= 1
      }
      return position > start ? (value, position) : nil
    }
  }
}

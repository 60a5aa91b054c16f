/// The rule for a zone's yearly clock changes, as in `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX.1-2024,
/// XBD §8.3; RFC 8536 §3.3.1).
struct TimeZoneRule {
  /// The offset from UTC in seconds of standard time.
  let standard: Int64

  /// Daylight saving time, if there is one.
  private let daylight: Daylight?

  private struct Daylight {
    let offset: Int64
    let start: Day
    let end: Day
  }

  /// A day of every year, and the time of the change in seconds from midnight.
  fileprivate struct Day {
    enum Form {
      /// From 1 to 365, without the leap day.
      case julian(Int)
      /// From 0 to 365.
      case zeroBased(Int)
      /// A weekday (0 is Sunday) of a month; the fifth week is the last one.
      case week(month: Int, week: Int, weekday: Int)
    }

    let form: Form
    let time: Int64
  }

  /// Parses a rule; `nil` if it is malformed.
  init?(_ text: [UInt8]) {
    var reader = RuleReader(text)
    guard reader.skipName(), let standard = reader.offset() else { return nil }
    self.standard = -standard
    guard !reader.isAtEnd else {
      daylight = nil
      return
    }
    guard reader.skipName() else { return nil }
    var offset = self.standard + 3600
    if !reader.isAtEnd, reader.next != UInt8(ascii: ",") {
      guard let given = reader.offset() else { return nil }
      offset = -given
    }
    guard let start = Self.day(&reader), let end = Self.day(&reader), reader.isAtEnd else {
      return nil
    }
    daylight = Daylight(offset: offset, start: start, end: end)
  }

  private static func day(_ reader: inout RuleReader) -> Day? {
    guard reader.skip(","), let form = form(&reader) else { return nil }
    guard reader.skip("/") else { return Day(form: form, time: 2 * 3600) }
    return reader.offset().map { Day(form: form, time: $0) }
  }

  private static func form(_ reader: inout RuleReader) -> Day.Form? {
    if reader.skip("J") { return reader.number(1...365).map { .julian($0) } }
    guard reader.skip("M") else { return reader.number(0...365).map { .zeroBased($0) } }
    guard let month = reader.number(1...12), reader.skip("."), let week = reader.number(1...5),
      reader.skip("."), let weekday = reader.number(0...6)
    else { return nil }
    return .week(month: month, week: week, weekday: weekday)
  }

  /// The changes in a year.
  func changes(in year: Int) -> [TimeZoneFile.Change] {
    guard let daylight else { return [] }
    return [
      TimeZoneFile.Change(at: daylight.start.time(in: year) - standard, offset: daylight.offset),
      TimeZoneFile.Change(at: daylight.end.time(in: year) - daylight.offset, offset: standard),
    ]
  }
}

extension TimeZoneRule.Day {
  /// The local time of the change, as seconds since 1970-01-01 00:00.
  fileprivate func time(in year: Int) -> Int64 { number(in: year) * secondsOfDay + time }

  private func number(in year: Int) -> Int64 {
    let newYear = CivilDate(year: year, month: 1, day: 1).number
    switch form {
    case .zeroBased(let day): return newYear + Int64(day)
    case .julian(let day):
      // From March on, as in a year without a leap day.
      let first = CivilDate(year: 2001, month: 1, day: 1).number
      let common = CivilDate(number: first + Int64(day - 1))
      return CivilDate(year: year, month: common.month, day: common.day).number
    case .week(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1).number
      // 1970-01-01 was a Thursday.
      let shift = (Int64(weekday) - (first + 4) % 7 + 7) % 7
      let day = first + shift + Int64(7 * (week - 1))
      let isInMonth = CivilDate(number: day).month == month
      return isInMonth ? day : day - 7
    }
  }
}

/// A position in the text of a rule.
private struct RuleReader {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { position == text.count }
  var next: UInt8? { isAtEnd ? nil : text[position] }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Skips the name of a time: letters, or anything between `<` and `>`.
  mutating func skipName() -> Bool {
    let start = position
    if skip("<") {
      while let byte = next, byte != UInt8(ascii: ">") {
        _ = byte
        position += 1
      }
      return skip(">")
    }
    while let byte = next, byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") {
      position += 1
    }
    return position > start
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int? {
    var (value, digits) = (0, 0)
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 4 {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      digits += 1
      position += 1
    }
    return digits > 0 && range.contains(value) ? value : nil
  }

  /// Hours with optional minutes and seconds, in seconds; may be negative.
  mutating func offset() -> Int64? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hours = number(0...167) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] where skip(":") {
      guard let value = number(0...59) else { return nil }
      seconds += value * unit
    }
    return Int64(isNegative ? -seconds : seconds)
  }
}

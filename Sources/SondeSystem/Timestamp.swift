/// A moment in milliseconds since 1970 UTC, formatted by RFC 3339.
///
/// Leap seconds are not counted (POSIX.1-2024, XBD §4.19). RFC 3339 has four digits for the year,
/// so moments outside the years 0000 to 9999 are clamped.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// Creates a moment from milliseconds since 1970 UTC.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Creates a moment from seconds since 1970 UTC.
  public init(seconds: Int64) {
    let bounded = min(max(seconds, Self.years.lowerBound), Self.years.upperBound)
    self.init(milliseconds: bounded * 1000)
  }

  /// Whole seconds since 1970 UTC, rounded down.
  public var seconds: Int64 {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Orders moments chronologically.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The moment in whole seconds, rounded down: `2026-11-20T18:30:00Z`.
  public var wholeSeconds: String {
    String(decoding: text { $0.append(seconds: seconds) }, as: UTF8.self)
  }

  /// The moment with its milliseconds: `2026-11-20T18:30:00.125Z`.
  public var withMilliseconds: String {
    String(decoding: text { $0.append(milliseconds: milliseconds) }, as: UTF8.self)
  }

  private func text(_ write: (inout OutputSpan<UInt8>) -> Void) -> [UInt8] {
    [UInt8](capacity: 24, initializingWith: write)
  }

  /// The seconds from 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
  fileprivate static let years: ClosedRange<Int64> = -62_167_219_200...253_402_300_799
}

extension OutputSpan<UInt8> {
  /// Appends seconds since 1970 as `2026-11-20T18:30:00Z`.
  package mutating func append(seconds: Int64) {
    appendDateAndTime(seconds: seconds)
    append(UInt8(ascii: "Z"))
  }

  /// Appends milliseconds since 1970 as `2026-11-20T18:30:00.125Z`.
  package mutating func append(milliseconds: Int64) {
    let years = Timestamp.years
    let range = (years.lowerBound * 1000, years.upperBound * 1000 + 999)
    let moment = Timestamp(milliseconds: Swift.min(Swift.max(milliseconds, range.0), range.1))
    appendDateAndTime(seconds: moment.seconds)
    append(UInt8(ascii: "."))
    append(digits: UInt64(moment.milliseconds - moment.seconds * 1000), count: 3)
    append(UInt8(ascii: "Z"))
  }

  private mutating func appendDateAndTime(seconds: Int64) {
    let years = Timestamp.years
    let bounded = Swift.min(Swift.max(seconds, years.lowerBound), years.upperBound)
    let sinceYearZero = UInt64(bounded - years.lowerBound)
    let (days, time) = sinceYearZero.quotientAndRemainder(dividingBy: 86_400)
    appendDate(days: days)
    append(UInt8(ascii: "T"))
    append(digits: time / 3600, count: 2)
    append(UInt8(ascii: ":"))
    append(digits: time / 60 % 60, count: 2)
    append(UInt8(ascii: ":"))
    append(digits: time % 60, count: 2)
  }

  /// Appends a date, given as days since 0000-01-01 in the Gregorian calendar.
  ///
  /// Years start in March, so that the leap day is the last day and the lengths of the months
  /// repeat every five: 153 days.
  private mutating func appendDate(days: UInt64) {
    // 0000-03-01 is 60 days after 0000-01-01; adding a cycle of 400 years keeps it positive.
    let shifted = days + 146_097 - 60
    let (cycle, dayOfCycle) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0) - 400
    append(digits: year, count: 4)
    append(UInt8(ascii: "-"))
    append(digits: month, count: 2)
    append(UInt8(ascii: "-"))
    append(digits: day, count: 2)
  }

  /// Appends the last digits of a number, with leading zeros.
  private mutating func append(digits number: UInt64, count: Int) {
    var divisor: UInt64 = 1
    for _ in 1..<count { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}

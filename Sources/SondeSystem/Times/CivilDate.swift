/// A date of the Gregorian calendar, and its number of days since 1970-01-01.
package struct CivilDate: Equatable {
  package var year: Int
  /// From 1.
  package var month: Int
  /// From 1.
  package var day: Int

  /// The range of years in logs: time zones have no rules for others, and a timeline would consist
  /// of gaps.
  static let years = 1970...2199
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Whether the day exists, in one of ``years``.
  var isValid: Bool {
    Self.years.contains(year) && 1...12 ~= month && 1...Self.days(of: month, in: year) ~= day
  }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The days since 1970-01-01.
  ///
  /// Years start in March, so that the leap day is the last day.
  package var number: Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear
    // The days from 0000-03-01 to 1970-01-01.
    return Int64(days - 719_468)
  }

  package init(year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Creates a date from the days since 1970-01-01; it must not be before the year 0.
  package init(number: Int64) {
    let days = Int(number) + 719_468
    let (cycle, dayOfCycle) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }
}

package let secondsOfDay: Int64 = 86_400

extension Int64 {
  /// The quotient rounded down, for any sign.
  package func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

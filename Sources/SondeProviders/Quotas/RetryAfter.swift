/// The `Retry-After` field (RFC 9110 §10.2.3): seconds, or an IMF-fixdate.
package enum RetryAfter {
  /// The time to wait, with `now` in seconds since 1970 UTC; `nil` if the value has neither form.
  package static func parse(_ value: String, now: Int64) -> Duration? {
    let text = value.drop { $0 == " " }
    return seconds(text) ?? date(text).map { max(Duration.seconds($0) - .seconds(now), .zero) }
  }

  /// Parses whole seconds with any number of digits.
  static func seconds(_ text: some StringProtocol) -> Duration? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return .seconds(Int64(text) ?? .max)
  }

  /// Parses `Sun, 06 Nov 1994 08:49:37 GMT` as seconds since 1970.
  private static func date(_ text: Substring) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT",
      let day = Int64(parts[1]), let month = months.firstIndex(of: parts[2]),
      let year = Int64(parts[3]), (1970...9999).contains(year), (1...31).contains(day)
    else { return nil }
    let clock = parts[4].split(separator: ":").map { Int64($0) ?? -1 }
    guard clock.count == 3, clock.allSatisfy({ (0...60).contains($0) }) else { return nil }
    let days = daysSince1970(year: year, month: Int64(month) + 1, day: day)
    return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The days since 1970 in the proleptic Gregorian calendar, with years that begin in March.
  static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = shifted / 4 - shifted / 100 + shifted / 400
    return shifted * 365 + leapDays + dayOfYear - 719_468
  }
}

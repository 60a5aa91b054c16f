/// A number of seconds or milliseconds since 1970 UTC, also with a fraction.
///
/// Seconds have 9 or 10 digits and milliseconds 12 or 13, so both are of 1973 or later.
struct EpochNumber {
  let milliseconds: Int64
  /// The position after it.
  let end: Int

  /// Parses a number; `nil` if there is something else at the position.
  init?(_ text: Span<UInt8>, _ start: Int, _ limit: Int) {
    var position = start
    var value: Int64 = 0
    while position < limit, position &- start < 14, text[position].isDecimal {
      value = value &* 10 &+ Int64(text[position] &- UInt8(ascii: "0"))
      position &+= 1
    }
    let isSeconds: Bool
    switch position &- start {
    case 9, 10: isSeconds = true
    case 12, 13: isSeconds = false
    default: return nil
    }
    var fraction = ClockDigits(seconds: 0, end: position)
    // A comma rather starts the next column.
    if position < limit, text[position] == UInt8(ascii: ".") { fraction.readFraction(text, limit) }
    end = fraction.end
    guard end >= limit || text[end].endsNumber else { return nil }
    let time = isSeconds ? value * 1000 + Int64(fraction.milliseconds) : value
    let year = CivilDate(number: time.dividedDown(by: 1000 * secondsOfDay)).year
    guard CivilDate.years.contains(year) else { return nil }
    milliseconds = time
  }
}

extension UInt8 {
  /// Whether a number may end before this byte.
  fileprivate var endsNumber: Bool {
    switch self {
    case 0x0a, 0x0d, UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "|"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"),
      UInt8(ascii: "\""):
      true
    default: false
    }
  }
}

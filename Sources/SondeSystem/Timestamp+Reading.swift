extension Timestamp {
  /// Parses the format of ``wholeSeconds``; `nil` for any other text.
  public init?(wholeSeconds text: Span<UInt8>) {
    let form = "0000-00-00T00:00:00Z".utf8
    guard text.count == form.count else { return nil }
    for (index, byte) in form.enumerated() {
      let isDigit = text[index] &- UInt8(ascii: "0") < 10
      guard byte == UInt8(ascii: "0") ? isDigit : text[index] == byte else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 {
      range.reduce(0) { 10 * $0 + Int64(text[$1] &- UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    guard 1...12 ~= month, 1...31 ~= day else { return nil }
    // Years start in March, so that the leap day is the last day; adding a cycle of 400 years
    // keeps them positive.
    let shifted = (month > 2 ? year : year - 1) + 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear
    // The days from 0000-03-01 to 1970-01-01, and the cycle.
    let time = 3600 * number(11..<13) + 60 * number(14..<16) + number(17..<19)
    self.init(seconds: 86_400 * (days - 719_468 - 146_097) + time)
  }
}

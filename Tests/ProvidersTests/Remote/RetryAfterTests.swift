import Testing

@testable import SondeProviders

@Suite struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110 §5.6.7.
  private let example: Int64 = 784_111_777

  private func wait(_ value: String, now: Int64) -> Duration? { RetryAfter.parse(value, now: now) }

  @Test func `seconds are a wait, however many digits there are`() {
    let table: [(String, Duration?)] = [
      ("0", .zero), ("1", .seconds(1)), (" 120", .seconds(120)), ("007", .seconds(7)),
      ("86401", .seconds(86_401)), ("9223372036854775807", .seconds(Int64.max)),
      ("9223372036854775808", .seconds(Int64.max)),
      ("99999999999999999999999", .seconds(Int64.max)),
    ]
    for (value, expected) in table { #expect(wait(value, now: 0) == expected, "\(value)") }
  }

  @Test func `a date is the time until then, and one in the past is none`() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(wait(date, now: example) == .zero)
    #expect(wait(date, now: example - 90) == .seconds(90))
    #expect(wait(date, now: example + 90) == .zero)
    #expect(wait(date, now: 0) == .seconds(example))
    #expect(wait(date, now: .min) == .seconds(example) - .seconds(Int64.min))
    #expect(wait(date, now: .max) == .zero)
    #expect(wait("Thu, 29 Feb 2024 23:59:60 GMT", now: 1_709_251_100) == .seconds(100))
    #expect(wait("Fri, 31 Dec 9999 23:59:59 GMT", now: 0) == .seconds(253_402_300_799))
  }

  @Test(
    arguments: [
      "", " ", "soon", "-1", "+5", "1.5", "12x", "0x10", "5, 9", "1٢", "٣", "1 2",
      "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:61:37 GMT", "Sun, 06 Nov 1994 a:b:c GMT",
      "Sun, 06 Nov 1994 x:08:49:37 GMT",
      "Sun, 06 Nov 99999999999 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ]
  )
  func `anything else says nothing`(value: String) { #expect(wait(value, now: 0) == nil) }
}

import Testing

@testable import SondeRecords

@Suite struct DurationTests {
  @Test func `times are in the unit that a person would use`() {
    let table: [(Duration, String)] = [
      (.zero, "0 s"), (.milliseconds(49), "0 s"), (.milliseconds(50), "0.1 s"),
      (.milliseconds(340), "0.3 s"), (.seconds(1), "1 s"), (.milliseconds(1250), "1.3 s"),
      (.milliseconds(9_940), "9.9 s"), (.milliseconds(9_960), "10 s"), (.seconds(10), "10 s"),
      (.milliseconds(59_999), "59 s"), (.seconds(60), "1 min"), (.seconds(61), "1 min 1 s"),
      (.seconds(260), "4 min 20 s"), (.seconds(3599), "59 min 59 s"), (.seconds(3600), "1 h 0 min"),
      (.seconds(7500), "2 h 5 min"), (.seconds(172_799), "47 h 59 min"),
      (.seconds(172_800), "2 days 0 h"), (.seconds(266_400), "3 days 2 h"),
    ]
    for (duration, text) in table { #expect(duration.forPerson == text) }
  }

  @Test func `milliseconds are whole`() {
    #expect(Duration.microseconds(1_999).milliseconds == 1)
    #expect(Duration.seconds(2).milliseconds == 2000)
  }
}

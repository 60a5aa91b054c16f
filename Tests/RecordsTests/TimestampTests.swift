import Testing

import SondeSystem

@testable import SondeRecords

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
      (1_795_199_400, "2026-11-20T18:30:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (951_868_799, "2000-02-29T23:59:59Z"), (951_868_800, "2000-03-01T00:00:00Z"),
      (1_709_164_800, "2024-02-29T00:00:00Z"), (4_107_456_000, "2100-02-28T00:00:00Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"), (-2_203_891_200, "1900-03-01T00:00:00Z"),
      (-11_670_998_400, "1600-02-29T00:00:00Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
      (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_167_219_201, "0000-01-01T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "9999-12-31T23:59:59Z"),
      (-Int64.max, "0000-01-01T00:00:00Z"), (Int64.max, "9999-12-31T23:59:59Z"),
    ] as [(Int64, String)]
  ) func `seconds are written in RFC 3339`(seconds: Int64, text: String) {
    #expect(Timestamp(seconds: seconds).wholeSeconds == text)
    let encoder = RecordEncoder.sample(.csv, fields: [.fetchedAt])
    var sample = Sample(nil, .ok)
    sample.record.fetchedAt = seconds
    #expect(encoder.text(sample) == text + "\n")
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (-1000, "1969-12-31T23:59:59.000Z"),
      (1_795_199_400_125, "2026-11-20T18:30:00.125Z"), (Int64.max, "9999-12-31T23:59:59.999Z"),
      (-Int64.max, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)]
  ) func `milliseconds are written in RFC 3339`(moment: Int64, text: String) {
    #expect(Timestamp(milliseconds: moment).withMilliseconds == text)
  }

  @Test func `each day of 400 years follows the one before`() {
    var (year, month, day) = (1600, 1, 1)
    var differences: [String] = []
    for count in Int64(0)..<146_097 {
      let text = Timestamp(seconds: -11_676_096_000 + count * 86_400 + 86_399).wholeSeconds
      let date = [(year, 4), (month, 2), (day, 2)].map { number, width in
        String(String(number + 10_000).suffix(width))
      }
      if text != date.joined(separator: "-") + "T23:59:59Z" { differences.append(text) }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(year == 2000 && differences == [])
  }

  @Test func `moments are ordered and come back as seconds`() {
    #expect(Timestamp(seconds: 1) < Timestamp(milliseconds: 1001))
    #expect(Timestamp(milliseconds: -1).seconds == -1)
    #expect(Timestamp(milliseconds: 1999).seconds == 1)
    #expect(Timestamp(seconds: 7) == Timestamp(milliseconds: 7000))
  }
}

import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct TSVTests {
  @Test func `the header names the columns in their order`() {
    let encoder = RecordEncoder.sample(.tsv, fields: [.proxy, .ip])
    #expect(String(decoding: encoder.header(), as: UTF8.self) == "proxy\tip\n")
    #expect(encoder.footer(isEmpty: true).isEmpty && encoder.separator.isEmpty)
  }

  @Test func `a record is a line, missing values are empty`() {
    let encoder = RecordEncoder.sample(.tsv)
    let google =
      "8.8.8.8\tok\tip-api\tUS\tUnited States\tVirginia\tAshburn\t20149\t39.03\t-77.5\t"
      + "America/New_York\t15169\tGoogle LLC\tGoogle LLC\tGoogle Public DNS\tdns.google\tfalse\t"
      + "2026-11-20T18:30:00Z\t\t3\n"
    #expect(encoder.text(.google) == google)
    let reserved = "10.0.0.1\treserved" + String(repeating: "\t", count: 17)
    #expect(encoder.text(.private, .google) == reserved + "Private-Use (RFC 1918)\t\n" + google)
    #expect(RecordEncoder.sample(.tsv, fields: [.city]).text(.private) == "\n")
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\tb", "a\\tb"), ("a\nb\r\n", "a\\nb\\r\\n"), ("\\", "\\\\"),
    ("\\t", "\\\\t"), ("\"a,b\"", "\"a,b\""), ("=1", "=1"), ("é\t日本", "é\\t日本"),
    ("longer than eight\t", "longer than eight\\t"), ("\u{0}\u{1f}", "\u{0}\u{1f}"),
    ("1234567\n", "1234567\\n"),
  ]) func `what would end a value is escaped`(text: String, cell: String) {
    let encoder = RecordEncoder.sample(.tsv, fields: [.status, .city, .cached])
    let sample = Sample(Address(ipv4: 1), .unknown, [.city: text])
    #expect(encoder.text(sample) == "unknown\t\(cell)\tfalse\n")
  }

  @Test func `a spreadsheet is given no formula`() {
    let fields: [Field] = [.ip, .longitude, .city]
    let encoder = RecordEncoder.sample(.tsv, fields: fields, spreadsheet: true)
    for (text, cell) in [("=1", "'=1"), ("\t", "'\\t"), ("-1", "'-1"), ("a=", "a=")] {
      var sample = Sample(nil, .invalid, [.item: text, .city: text])
      sample.record.longitude = -77.5
      #expect(encoder.text(sample) == "\(cell)\t-77.5\t\(cell)\n")
    }
  }

  @Test func `a zone is escaped too`() {
    let encoder = RecordEncoder.sample(.tsv, fields: [.ip])
    let address = Address(high: 0xfe80 << 48, low: 1)
    #expect(encoder.text(Sample(address, .reserved, [.item: "a\tb"])) == "fe80::1%a\\tb\n")
  }
}

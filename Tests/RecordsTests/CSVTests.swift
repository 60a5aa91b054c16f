import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct CSVTests {
  @Test func `the header names the columns in their order`() {
    let standard =
      "ip,status,source,country_code,country,region,city,postal_code,latitude,longitude,timezone,"
      + "asn,as_name,isp,org,hostname,cached,fetched_at,message,line\n"
    #expect(String(decoding: RecordEncoder.sample(.csv).header(), as: UTF8.self) == standard)
    let picked = RecordEncoder.sample(.csv, fields: [.proxy, .ip, .proxy])
    #expect(String(decoding: picked.header(), as: UTF8.self) == "proxy,ip\n")
    #expect(picked.footer(isEmpty: true).isEmpty && picked.separator.isEmpty)
  }

  @Test func `a record is a line, missing values are empty`() {
    let encoder = RecordEncoder.sample(.csv)
    let google =
      "8.8.8.8,ok,ip-api,US,United States,Virginia,Ashburn,20149,39.03,-77.5,America/New_York,"
      + "15169,Google LLC,Google LLC,Google Public DNS,dns.google,false,2026-11-20T18:30:00Z,,3\n"
    #expect(encoder.text(.google) == google)
    let reserved = "10.0.0.1,reserved,,,,,,,,,,,,,,,,,Private-Use (RFC 1918),\n"
    #expect(encoder.text(.private, .google) == reserved + google)
  }

  @Test(arguments: [
    ("plain", "plain"), (" blanks ", " blanks "), ("a,b", "\"a,b\""), ("\"", "\"\"\"\""),
    ("say \"hi\" twice \"\"", "\"say \"\"hi\"\" twice \"\"\"\"\""), ("a\nb", "\"a\nb\""),
    ("a\r", "\"a\r\""), ("\r\n", "\"\r\n\""), ("tab\there", "tab\there"), ("é,日本", "\"é,日本\""),
    ("longer than eight, with a comma", "\"longer than eight, with a comma\""),
    ("=1+1", "=1+1"), ("'", "'"), ("\u{0}", "\u{0}"), ("1234567,", "\"1234567,\""),
  ]) func `texts are quoted when they have to be`(text: String, cell: String) {
    let encoder = RecordEncoder.sample(.csv, fields: [.status, .city, .cached])
    let sample = Sample(Address(ipv4: 1), .unknown, [.city: text])
    #expect(encoder.text(sample) == "unknown,\(cell),false\n")
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("\ta", "'\ta"),
    ("\ra", "\"'\ra\""), ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""), ("a=b", "a=b"),
    (" =1", " =1"), ("", ""), ("'=1", "'=1"), ("\n=1", "\"\n=1\""),
  ]) func `a spreadsheet is given no formula`(text: String, cell: String) {
    let encoder = RecordEncoder.sample(.csv, fields: [.status, .city, .cached], spreadsheet: true)
    let sample = Sample(Address(ipv4: 1), .unknown, [.city: text])
    #expect(encoder.text(sample) == "unknown,\(cell),false\n")
  }

  @Test func `numbers stay numbers in a spreadsheet, items and inputs do not stay formulas`() {
    let fields: [Field] = [.ip, .longitude, .input]
    let encoder = RecordEncoder.sample(.csv, fields: fields, inputs: ["@list"], spreadsheet: true)
    var sample = Sample(nil, .invalid, [.item: "-x"])
    sample.record.longitude = -77.5
    #expect(encoder.text(sample) == "'-x,-77.5,'@list\n")
  }

  @Test func `a line without a value is still a record`() {
    let one = RecordEncoder.sample(.csv, fields: [.city])
    #expect(one.text(.private) == "\"\"\n")
    let two = RecordEncoder.sample(.csv, fields: [.city, .region])
    #expect(two.text(.private) == ",\n")
  }

  @Test func `a link-local address keeps its zone, whatever it holds`() {
    let encoder = RecordEncoder.sample(.csv, fields: [.ip])
    let address = Address(high: 0xfe80 << 48, low: 1)
    #expect(encoder.text(Sample(address, .reserved, [.item: "eth0"])) == "fe80::1%eth0\n")
    #expect(encoder.text(Sample(address, .reserved)) == "fe80::1\n")
    let hostile = Sample(address, .reserved, [.item: "a\"b,"])
    #expect(encoder.text(hostile) == "\"fe80::1%a\"\"b,\"\n")
    // Only link-local addresses have zones.
    #expect(encoder.text(Sample(Address(ipv4: 1), .ok, [.item: "eth0"])) == "0.0.0.1\n")
  }
}

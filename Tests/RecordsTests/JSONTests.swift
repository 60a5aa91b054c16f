import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct JSONTests {
  static let google =
    #"{"ip":"8.8.8.8","status":"ok","source":"ip-api","country_code":"US","#
    + #""country":"United States","region":"Virginia","city":"Ashburn","postal_code":"20149","#
    + #""latitude":39.03,"longitude":-77.5,"timezone":"America/New_York","asn":15169,"#
    + #""as_name":"Google LLC","isp":"Google LLC","org":"Google Public DNS","#
    + #""hostname":"dns.google","cached":false,"fetched_at":"2026-11-20T18:30:00Z","line":3}"#
  static let reserved =
    #"{"ip":"10.0.0.1","status":"reserved","message":"Private-Use (RFC 1918)"}"#

  @Test func `a record of NDJSON is a line`() {
    let encoder = RecordEncoder.sample(.ndjson)
    #expect(encoder.text(.google, .private) == "\(Self.google)\n\(Self.reserved)\n")
    #expect(encoder.header().isEmpty && encoder.separator.isEmpty)
    #expect(encoder.footer(isEmpty: true).isEmpty && encoder.footer(isEmpty: false).isEmpty)
  }

  @Test func `JSON is an array with an element a line`() {
    let encoder = RecordEncoder.sample(.json)
    func document(_ samples: Sample...) -> String {
      String(decoding: encoder.document(samples), as: UTF8.self)
    }
    #expect(document() == "[]\n")
    #expect(document(.google) == "[\n\(Self.google)\n]\n")
    #expect(document(.google, .private) == "[\n\(Self.google),\n\(Self.reserved)\n]\n")
  }

  @Test func `parts put together are the whole`() {
    let encoder = RecordEncoder.sample(.json)
    var parts = encoder.header()
    encoder.append(block([.google, .private]), to: &parts)
    parts += encoder.separator
    encoder.append(block([.quad9v6]), to: &parts)
    parts += encoder.footer(isEmpty: false)
    #expect(parts == encoder.document([.google, .private, .quad9v6]))
  }

  @Test func `keys follow the columns, each once, and nothing is an object too`() {
    let encoder = RecordEncoder.sample(.ndjson, fields: [.city, .ip, .city])
    #expect(encoder.text(.google) == #"{"city":"Ashburn","ip":"8.8.8.8"}"# + "\n")
    #expect(RecordEncoder.sample(.ndjson, fields: [.city]).text(.private) == "{}\n")
  }

  @Test func `the columns that have to be asked for`() {
    let extra = Field.allCases.filter { !Field.standard.contains($0) }
    let encoder = RecordEncoder.sample(.ndjson, fields: extra, inputs: ["a \"b\""])
    var sample = Sample(
      Address(ipv4: 1),
      .ok,
      [
        .network: "8.8.8.0/24", .continentCode: "NA", .regionCode: "VA",
        .registeredCountryCode: "DE", .database: "a.mmdb", .databaseDate: "2026-11-22",
        .asDatabase: "b.db", .asDatabaseDate: "2022-10-29",
      ]
    )
    sample.record.accuracyRadius = 20
    sample.record.isMobile = false
    sample.record.isProxy = true
    sample.record.isHosting = true
    (sample.record.isTor, sample.record.isVPN, sample.record.isRelay) = (true, false, false)
    let rest =
      #""network":"8.8.8.0/24","continent_code":"NA","region_code":"VA","#
      + #""registered_country_code":"DE","accuracy_radius":20,"mobile":false,"proxy":true,"#
      + #""hosting":true,"tor":true,"vpn":false,"relay":false,"database":"a.mmdb","#
      + #""database_date":"2026-11-22","as_database":"b.db","as_database_date":"2022-10-29"}"#
      + "\n"
    #expect(encoder.text(sample) == #"{"input":"a \"b\"","# + rest)
    let other = RecordEncoder.sample(.ndjson, fields: extra, inputs: ["x"])
    #expect(other.text(sample) == #"{"input":"x","# + rest)
    sample.record.place.input = 1
    #expect(other.text(sample) == "{" + rest)
  }

  @Test(arguments: Status.allCases)
  func `cached has a value where somebody answered`(status: Status) {
    let encoder = RecordEncoder.sample(.ndjson, fields: [.cached])
    var sample = Sample(Address(ipv4: 1), status)
    // Without a source, an `ok` record says that an entry is valid, not that somebody answered.
    #expect(encoder.text(sample) == (status == .unknown ? "{\"cached\":false}\n" : "{}\n"))
    if status == .ok { sample.record.source = .libloc }
    let isAnswered = status == .ok || status == .unknown
    #expect(encoder.text(sample) == (isAnswered ? "{\"cached\":false}\n" : "{}\n"))
    sample.record.isCached = true
    #expect(encoder.text(sample) == (isAnswered ? "{\"cached\":true}\n" : "{}\n"))
  }

  @Test func `what is no number is missing`() {
    let encoder = RecordEncoder.sample(.ndjson, fields: [.latitude, .longitude])
    var sample = Sample(Address(ipv4: 1), .ok)
    #expect(encoder.text(sample) == "{}\n")
    (sample.record.latitude, sample.record.longitude) = (.infinity, -.infinity)
    #expect(encoder.text(sample) == "{}\n")
    (sample.record.latitude, sample.record.longitude) = (0, 51)
    #expect(encoder.text(sample) == #"{"latitude":0,"longitude":51}"# + "\n")
  }

  @Test func `an invalid item and a zone are escaped`() {
    let encoder = RecordEncoder.sample(.ndjson, fields: [.ip])
    let item = Sample(nil, .invalid, [.item: "a\"\u{1b}[31m\\"])
    #expect(encoder.text(item) == #"{"ip":"a\"\u001b[31m\\"}"# + "\n")
    let zone = Sample(Address(high: 0xfe80 << 48, low: 1), .reserved, [.item: "a\"b"])
    #expect(encoder.text(zone) == #"{"ip":"fe80::1%a\"b"}"# + "\n")
    #expect(encoder.text(Sample(nil, .invalid)) == "{}\n")
  }

  @Test func `every byte that has to be escaped is, at every place of a word`() {
    let short: [UInt8: String] = [8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 34: "\"", 92: "\\"]
    var differences: [String] = []
    for byte in UInt8(0)..<128 {
      for place in 0..<20 {
        let (before, after) = (String(repeating: "é", count: place), "tail")
        let character = String(UnicodeScalar(byte))
        let hexadecimal = (byte < 16 ? "000" : "00") + String(byte, radix: 16)
        let escape = short[byte].map { "\\" + $0 } ?? (byte < 32 ? "\\u" + hexadecimal : character)
        var output: [UInt8] = []
        appendJSONString(before + character + after, to: &output)
        let text = String(decoding: output, as: UTF8.self)
        if text != "\"\(before)\(escape)\(after)\"" { differences.append(text) }
      }
    }
    #expect(differences == [])
  }

  @Test func `an object is built member by member`() {
    var inner = JSONObject()
    inner.add("ip-api", 3)
    var object = JSONObject()
    #expect(object.line == Array("{}\n".utf8))
    object.add("event", "a\n\u{1b}")
    object.add("count", Int64.min)
    object.add("up", true)
    object.add("addresses", ["a", "b\""])
    object.add("none", [])
    object.add("sources", inner)
    let text =
      #"{"event":"a\n\u001b","count":-9223372036854775808,"up":true,"#
      + #""addresses":["a","b\""],"none":[],"sources":{"ip-api":3}}"#
    #expect(String(decoding: object.bytes, as: UTF8.self) == text)
    #expect(String(decoding: object.line, as: UTF8.self) == text + "\n")
  }
}

import SondeRecords
import Testing
import SondeTransfer

@testable import SondeProviders

@Suite struct IPAPIReadingTests {
  private let api = IPAPI()
  private let asked = ["8.8.8.8", "1.1.1.1", "2001:db8::1"]

  private func entry(_ address: String, _ country: String) -> String {
    #"{"status":"success","countryCode":"\#(country)","query":"\#(address)"}"#
  }

  private func batch(_ entries: String...) -> String { "[" + entries.joined(separator: ",") + "]" }

  @Test func `the documented answer fills its fields`() {
    let body = #"""
      {"query":"24.48.0.1","status":"success","country":"Canada","countryCode":"CA","region":"QC",
      "regionName":"Quebec","city":"Montreal","zip":"H1K","lat":45.6085,"lon":-73.5493,
      "timezone":"America/Toronto","isp":"Le Groupe Videotron Ltee","org":"Videotron Ltee",
      "as":"AS5769 Videotron Telecom Ltee","reverse":"modemcable001.mc.videotron.ca",
      "continentCode":"NA","district":"","offset":-14400,"currency":"CAD","asname":"VIDEOTRON",
      "mobile":false,"proxy":true,"hosting":false}
      """#
    let expected = [
      "status": "ok", "source": "ip-api", "fetchedAt": "1700000000", "countryCode": "CA",
      "country": "Canada", "regionCode": "QC", "region": "Quebec", "city": "Montreal",
      "postalCode": "H1K", "latitude": "45.6085", "longitude": "-73.5493",
      "timezone": "America/Toronto", "isp": "Le Groupe Videotron Ltee", "org": "Videotron Ltee",
      "asn": "5769", "asName": "Videotron Telecom Ltee", "continentCode": "NA",
      "hostname": "modemcable001.mc.videotron.ca", "mobile": "false", "proxy": "true",
      "hosting": "false",
    ]
    #expect(api.single(body, for: "24.48.0.1") == expected)
    #expect(api.read("[\(body)]", for: ["24.48.0.1"]).fields == [expected])
  }

  @Test func `entries are put where they were asked, whatever their order`() {
    let entries = [entry("8.8.8.8", "US"), entry("1.1.1.1", "AU"), entry("2001:db8::1", "ZZ")]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let body = "[" + order.map { entries[$0] }.joined(separator: ",") + "]"
      #expect(
        api.read(body, for: asked).lines == ["8.8.8.8 ok US", "1.1.1.1 ok AU", "2001:db8::1 ok ZZ"]
      )
    }
  }

  @Test func `an address is known in whatever form the answer writes it`() {
    let body = batch(entry("::ffff:8.8.8.8", "US"), entry("2001:DB8:0:0::1", "ZZ"))
    let lines = api.read(body, for: ["8.8.8.8", "2001:db8::1"]).lines
    #expect(lines == ["8.8.8.8 ok US", "2001:db8::1 ok ZZ"])
  }

  @Test func `a missing entry is missing and takes no other along`() {
    let reading = api.read(batch(entry("8.8.8.8", "US"), entry("2001:db8::1", "ZZ")), for: asked)
    #expect(reading.lines == ["8.8.8.8 ok US", "1.1.1.1 failed", "2001:db8::1 ok ZZ"])
    #expect(reading.missing == [1])
    #expect(api.read("[]", for: asked).missing == [0, 1, 2])
  }

  @Test func `of two entries for an address the first counts`() {
    let body = batch(
      entry("8.8.8.8", "US"),
      entry("8.8.8.8", "XX"),
      entry("1.1.1.1", "AU"),
      entry("2001:db8::1", "ZZ"),
      entry("1.1.1.1", "XX")
    )
    let lines = api.read(body, for: asked).lines
    #expect(lines == ["8.8.8.8 ok US", "1.1.1.1 ok AU", "2001:db8::1 ok ZZ"])
  }

  @Test func `an entry for an address that was not asked is passed over`() {
    let body = batch(entry("9.9.9.9", "XX"), entry("8.8.8.8", "US"), entry("9.9.9.9", "XX"))
    let reading = api.read(body, for: asked)
    #expect(reading.lines.first == "8.8.8.8 ok US")
    #expect(reading.missing == [1, 2])
  }

  @Test(
    arguments: [
      "null", "true", "17", #""8.8.8.8""#, "[]", "{}",
      #"{"status":"success","countryCode":"US"}"#,
      #"{"query":"8.8.8.8","countryCode":"US"}"#,
      #"{"status":"success","countryCode":"US","query":""}"#,
      #"{"status":"success","countryCode":"US","query":"8.8.8"}"#,
      #"{"status":"success","countryCode":"US","query":null}"#,
      #"{"status":"success","countryCode":"US","query":8}"#,
      #"{"status":true,"countryCode":"US","query":"8.8.8.8"}"#,
      #"{"status":"success","countryCode":7,"query":"8.8.8.8"}"#,
      #"{"status":"success","lat":"1.5","countryCode":"US","query":"8.8.8.8"}"#,
      #"{"status":"success","mobile":0,"countryCode":"US","query":"8.8.8.8"}"#,
      #"{"status":"success","city":["a"],"countryCode":"US","query":"8.8.8.8"}"#,
      #"{"status":"success","city":{"a":1},"countryCode":"US","query":"8.8.8.8"}"#,
    ]
  )
  func `an entry of another form is not believed, and the next one is`(entry: String) {
    let reading = api.read(batch(entry, self.entry("1.1.1.1", "AU")), for: ["8.8.8.8", "1.1.1.1"])
    #expect(reading.lines == ["8.8.8.8 failed", "1.1.1.1 ok AU"])
    #expect(reading.missing == [0])
  }

  @Test func `null and members nobody documents say nothing`() {
    let fields = api.single(
      #"{"status":"success","query":"8.8.8.8","city":null,"lat":null,"new":{"query":"x","a":[1]},"countryCode":"US"}"#
    )
    #expect(
      fields == [
        "status": "ok", "source": "ip-api", "fetchedAt": "1700000000", "countryCode": "US",
        "country": "United States",
      ]
    )
  }

  @Test func `fail and answers without a value mean unknown`() {
    let failed = api.single(#"{"status":"fail","message":"invalid query","query":"8.8.8.8"}"#)
    #expect(
      failed == [
        "status": "unknown", "fetchedAt": "1700000000", "message": "ip-api: invalid query",
      ]
    )
    let empty = api.single(#"{"status":"success","country":"","as":"","query":"8.8.8.8"}"#)
    #expect(empty["status"] == "unknown")
    #expect(empty["message"] == "ip-api has nothing about it")
    #expect(empty["source"] == nil)
  }

  @Test func `the word for a body not understood is the whole batch's`() {
    let body = #"[{"status":"fail","message":"invalid body"}]"#
    #expect(api.read(body, for: asked).lines == ["fault: invalid body"])
    // With a query it is one entry like any other.
    let entry = #"[{"status":"fail","message":"private range","query":"8.8.8.8"}]"#
    #expect(api.read(entry, for: asked).missing == [1, 2])
  }

  @Test func `a body of another form is a fault that says so`() {
    let table = [
      (#"{"status":"fail","message":"slow down"}"#, "fault: slow down"),
      (#"{"a":1}"#, "fault: the answer is not an array"),
      ("17", "fault: the answer is not of the agreed form"),
    ]
    for (body, line) in table { #expect(api.read(body, for: asked).lines == [line]) }
    #expect(
      api.read("[]", for: ["8.8.8.8"], form: .single).lines
        == ["fault: the answer is not of the agreed form"]
    )
    #expect(api.read("{}", for: ["8.8.8.8"], form: .single).missing == [0])
  }

  @Test func `a body cut off anywhere is a fault`() {
    let body = batch(entry("8.8.8.8", "US"), entry("1.1.1.1", "AU"))
    let read = (1..<body.count).filter { count in
      let lines = api.read(String(body.prefix(count)), for: asked).lines
      return !lines[0].hasPrefix("fault: the answer is not JSON")
    }
    #expect(read == [])
  }

  @Test func `an empty answer and a login page are told apart`() {
    #expect(api.read("", for: asked).lines == ["throttled"])
    #expect(api.read("  <html>", for: asked).lines == ["login page"])
    let typed = response("[]", ["Content-Type: text/html; charset=utf-8"])
    #expect(api.read(typed, for: asked).lines == ["login page"])
    for status in [301, 302, 303, 307, 308, 511] {
      #expect(api.read(response("", status: status), for: asked).lines == ["login page"])
    }
  }

  @Test(
    arguments: [
      #"{"status":"error","message":"backend timeout","query":"8.8.8.8"}"#,
      #"{"status":"fail","message":"backend timeout","query":"8.8.8.8"}"#,
      #"{"message":"backend timeout","status":"fail","query":"8.8.8.8"}"#,
      #"{"status":"fail","message":"backend timeout"}"#,
      #"{"status":"SUCCESS","message":"backend timeout","query":"8.8.8.8"}"#,
      #"{"status":"error","message":"backend timeout","query":"8.8.8.8","countryCode":"US"}"#,
    ]
  )
  func `an entry in error is missing, and its words are told`(entry: String) {
    let reading = api.read(batch(entry, self.entry("1.1.1.1", "AU")), for: ["8.8.8.8", "1.1.1.1"])
    #expect(reading.lines == ["8.8.8.8 failed", "1.1.1.1 ok AU"])
    #expect(reading.missing == [0])
    #expect(reading.complaint == "backend timeout")
    #expect(api.read(entry, for: ["8.8.8.8"], form: .single).complaint == "backend timeout")
  }

  @Test(arguments: ["private range", "reserved range", "invalid query"])
  func `the documented messages are final`(message: String) {
    for entry in [
      #"{"status":"fail","message":"\#(message)","query":"8.8.8.8"}"#,
      #"{"query":"8.8.8.8","message":"\#(message)","status":"fail"}"#,
    ] {
      let fields = api.single(entry)
      #expect(fields["status"] == "unknown")
      #expect(fields["message"] == "ip-api: \(message)")
    }
    // The same word beside another status is none of them.
    let other = #"{"status":"error","message":"\#(message)","query":"8.8.8.8"}"#
    #expect(api.read(other, for: ["8.8.8.8"], form: .single).missing == [0])
  }

  @Test func `a fail without a word is no answer`() {
    let body = #"{"status":"fail","query":"8.8.8.8"}"#
    #expect(api.read(body, for: ["8.8.8.8"], form: .single).missing == [0])
  }

  @Test func `numbers out of their range are missing, and the rest stays`() {
    let table: [(String, [String: String])] = [
      (#""lat":1e300,"lon":5"#, ["longitude": "5.0"]), (#""lat":90.1"#, [:]),
      (#""lat":-90,"lon":180"#, ["latitude": "-90.0", "longitude": "180.0"]),
      (#""lon":-180.5"#, [:]), (#""as":"AS4294967296 Big""#, ["asName": "Big"]),
      (#""as":"AS4294967295 Last""#, ["asn": "4294967295", "asName": "Last"]),
      (#""countryCode":"USA""#, [:]), (#""countryCode":"U""#, [:]), (#""countryCode":"1A""#, [:]),
      (#""countryCode":"U1""#, [:]), (#""countryCode":"United States""#, [:]),
      (#""continentCode":"NAM""#, [:]), (#""continentCode":"NA""#, ["continentCode": "NA"]),
      (#""lon":180.0001"#, [:]), (#""countryCode":"us""#, ["countryCode": "us"]),
    ]
    for (members, expected) in table {
      let fields = api.single(#"{"status":"success","query":"8.8.8.8","city":"X",\#(members)}"#)
      let rest = fields.filter { !["status", "source", "fetchedAt", "city"].contains($0.key) }
      #expect(rest == expected, "\(members)")
      #expect(fields["city"] == "X")
    }
    // Where nothing else is left, nothing is known.
    let bare = api.single(#"{"status":"success","query":"8.8.8.8","lat":1e300}"#)
    #expect(bare["status"] == "unknown")
  }

  @Test func `texts are cut at a character, at a kilobyte`() {
    for (text, expected) in [
      (String(repeating: "x", count: 1024), String(repeating: "x", count: 1024)),
      (String(repeating: "x", count: 1_000_000), String(repeating: "x", count: 1024)),
      (String(repeating: "é", count: 513), String(repeating: "é", count: 512)),
      ("x" + String(repeating: "é", count: 512), "x" + String(repeating: "é", count: 511)),
      (String(repeating: "€", count: 400), String(repeating: "€", count: 341)),
      (String(repeating: "😀", count: 300), String(repeating: "😀", count: 256)),
    ] {
      let fields = api.single(#"{"status":"success","query":"8.8.8.8","city":"\#(text)"}"#)
      #expect(fields["city"] == expected)
    }
    let long = String(repeating: "x", count: 100_000)
    let entry = #"{"status":"error","message":"\#(long)","query":"8.8.8.8"}"#
    #expect(api.read(entry, for: ["8.8.8.8"], form: .single).complaint?.utf8.count == 1024)
    let refusal = response(#"{"message":"\#(long)"}"#, status: 403)
    let words = api.read(refusal, for: asked).verdict.words
    #expect(words.utf8.count < 1100)
  }

  @Test func `a refusal is in the provider's own words`() {
    let body = #"{"status":"fail","message":"invalid/expired key"}"#
    let reading = api.read(response(body, status: 403), for: asked)
    #expect(reading.lines == ["refused: HTTP 403: invalid/expired key"])
    let page = api.read(response("<html>banned</html>", status: 403), for: asked)
    #expect(page.lines == ["refused: HTTP 403"])
  }
}

import SondeRecords
import Testing
import SondeTransfer

@testable import SondeProviders

@Suite struct IPInfoReadingTests {
  private let api = IPInfo(token: "T")

  @Test func `the documented answer fills its fields`() {
    let body = #"""
      {
        "ip": "8.8.8.8",
        "hostname": "dns.google",
        "city": "Mountain View",
        "region": "California",
        "country": "US",
        "loc": "37.4056,-122.0775",
        "org": "AS15169 Google LLC",
        "postal": "94043",
        "timezone": "America/Los_Angeles",
        "readme": "https://ipinfo.io/missingauth",
        "anycast": true
      }
      """#
    let expected = [
      "status": "ok", "source": "ipinfo", "fetchedAt": "1700000000", "hostname": "dns.google",
      "city": "Mountain View", "region": "California", "countryCode": "US",
      "country": "United States", "latitude": "37.4056", "longitude": "-122.0775",
      "asn": "15169", "asName": "Google LLC", "postalCode": "94043",
      "timezone": "America/Los_Angeles",
    ]
    #expect(api.single(body) == expected)
    #expect(api.read(#"{"8.8.8.8":\#(body)}"#, for: ["8.8.8.8"]).fields == [expected])
  }

  @Test func `the privacy of a paid plan gives flags, and what it lacks is false`() {
    let table: [(String, [String: String])] = [
      (
        #"{"vpn":true,"proxy":false,"tor":false,"relay":false,"hosting":true,"service":"X"}"#,
        ["proxy": "true", "hosting": "true", "tor": "false", "vpn": "true", "relay": "false"]
      ),
      (
        #"{"tor":true,"vpn":null}"#,
        ["proxy": "true", "hosting": "false", "tor": "true", "vpn": "false", "relay": "false"]
      ),
      (
        #"{"proxy":false}"#,
        ["proxy": "false", "hosting": "false", "tor": "false", "vpn": "false", "relay": "false"]
      ),
      ("null", [:]),
    ]
    for (privacy, flags) in table {
      let expected = flags.merging([
        "status": "ok", "source": "ipinfo", "fetchedAt": "1700000000", "countryCode": "US",
        "country": "United States",
      ]) { first, _ in first }
      let members = #""ip":"8.8.8.8","privacy":\#(privacy)"#
      #expect(api.single(#"{"country":"US",\#(members)}"#) == expected)
      if !flags.isEmpty { #expect(api.single("{\(members)}")["status"] == "ok") }
    }
  }

  @Test func `a batch is an object by address, in any order`() {
    let body = #"""
      {"2001:db8::1":{"country":"ZZ"},"8.8.8.8":{"ip":"8.8.8.8","country":"US"},
      "9.9.9.9":{"country":"XX"},"1.1.1.1":{"country":"AU"},"8.8.8.8":{"country":"XX"}}
      """#
    let reading = api.read(body, for: ["8.8.8.8", "1.1.1.1", "4.4.4.4", "2001:db8::1"])
    #expect(
      reading.lines == ["8.8.8.8 ok US", "1.1.1.1 ok AU", "4.4.4.4 failed", "2001:db8::1 ok ZZ"]
    )
    #expect(reading.missing == [2])
  }

  @Test func `what the provider has nothing about is unknown`() {
    let table: [(String, String)] = [
      (#"{"ip":"8.8.8.8"}"#, "ipinfo has nothing about it"),
      (#"{"ip":"8.8.8.8","city":"","loc":"","org":""}"#, "ipinfo has nothing about it"),
      (#"{"ip":"8.8.8.8","bogon":true}"#, "ipinfo: bogon"),
      (
        #"{"ip":"8.8.8.8","status":404,"error":{"title":"Wrong ip","message":"x"}}"#,
        "ipinfo: Wrong ip: x"
      ),
    ]
    for (body, message) in table {
      for fields in [
        api.single(body), api.read(#"{"8.8.8.8":\#(body)}"#, for: ["8.8.8.8"]).fields[0],
      ] {
        #expect(fields["status"] == "unknown", "\(body)")
        #expect(fields["message"] == message)
        #expect(fields["source"] == nil)
      }
    }
    #expect(api.read(#"{"8.8.8.8":""}"#, for: ["8.8.8.8"]).lines == ["8.8.8.8 unknown"])
  }

  @Test(
    arguments: [
      #"{"status":429,"error":{"title":"Rate limit exceeded"}}"#, #"{"status":500}"#, "null", "17",
      #""US""#, "[]", "true", #"{"country":7}"#, #"{"city":["x"],"country":"US"}"#,
      #"{"privacy":true,"country":"US"}"#, #"{"privacy":{"tor":1},"country":"US"}"#,
      #"{"loc":1,"country":"US"}"#, #"{"org":{},"country":"US"}"#, "{}", #"{"foo":1}"#,
      #"{"error":"backend timeout"}"#, #"{"error":{"title":"x"},"country":"US"}"#,
      #"{"ip":"8.8.8.8","error":"backend timeout"}"#, #"{"status":"error","country":"US"}"#,
      #"{"country":""}"#, #"{"bogon":false}"#, #"{"ip":"9.9.9.9","country":"DE"}"#,
      #"{"ip":"9.9.9.9","bogon":true}"#, #"{"ip":"","country":"DE"}"#, #"{"ip":8,"country":"DE"}"#,
      #"{"ip":"1.1.1.1","status":404,"error":{"title":"Wrong ip"}}"#, #"{"ip":null}"#,
    ]
  )
  func `an entry in error or of another form is missing`(entry: String) {
    let body = #"{"8.8.8.8":\#(entry),"1.1.1.1":{"country":"AU"}}"#
    let reading = api.read(body, for: ["8.8.8.8", "1.1.1.1"])
    #expect(reading.lines == ["8.8.8.8 failed", "1.1.1.1 ok AU"])
    #expect(reading.missing == [0])
  }

  @Test(
    arguments: [
      "{}", #"{"foo":1}"#, #"{"error":"backend timeout"}"#, #"{"country_code":""}"#,
      #"{"ip":"8.8.8.8","error":"backend timeout"}"#, #"{"ip":"9.9.9.9","country_code":"DE"}"#,
      #"{"ip":"9.9.9.9","bogon":true}"#, #"{"ip":8,"country_code":"DE"}"#,
    ]
  )
  func `so is one of Lite's`(entry: String) {
    let body = #"{"8.8.8.8":\#(entry),"1.1.1.1":{"country_code":"AU"}}"#
    let reading = IPInfo(token: "T", isLite: true).read(body, for: ["8.8.8.8", "1.1.1.1"])
    #expect(reading.lines == ["8.8.8.8 failed", "1.1.1.1 ok AU"])
  }

  @Test func `records under each other's addresses are nobody's answers`() {
    let swapped =
      #"{"8.8.8.8":{"ip":"1.1.1.1","country":"AU"},"1.1.1.1":{"ip":"8.8.8.8","country":"US"}}"#
    #expect(api.read(swapped, for: ["8.8.8.8", "1.1.1.1"]).missing == [0, 1])
    let spelt = #"{"2001:db8::1":{"ip":"2001:0DB8:0:0:0:0:0:1","country":"ZZ"}}"#
    #expect(api.read(spelt, for: ["2001:db8::1"]).lines == ["2001:db8::1 ok ZZ"])
  }

  @Test func `an entry in error is told in the provider's words`() {
    let body = #"{"8.8.8.8":{"error":"backend timeout"}}"#
    #expect(api.read(body, for: ["8.8.8.8"]).complaint == "backend timeout")
  }

  @Test func `what is out of its range is missing, and the rest stays`() {
    for members in [
      #""country":"United States""#, #""country":"USA""#, #""country":"U1""#, #""loc":"91,2""#,
      #""loc":"1,181""#, #""loc":"1e5,1""#,
    ] {
      let fields = api.single(#"{"ip":"8.8.8.8","city":"X",\#(members)}"#)
      let rest = fields.filter { !["status", "source", "fetchedAt", "city"].contains($0.key) }
      #expect(rest == [:], "\(members)")
      #expect(fields["city"] == "X")
    }
    let system = api.single(#"{"ip":"8.8.8.8","org":"AS4294967296 X"}"#)
    #expect((system["asn"], system["asName"]) == (nil, "X"))
    for members in [
      #""country_code":"USA""#, #""continent_code":"EUR""#, #""continent_code":"E1""#,
      #""asn":"AS4294967296""#,
    ] {
      let fields = IPInfo(token: "T", isLite: true).single(
        #"{"ip":"8.8.8.8","as_name":"X",\#(members)}"#
      )
      let rest = fields.filter { !["status", "source", "fetchedAt", "asName"].contains($0.key) }
      #expect(rest == [:], "\(members)")
    }
  }

  @Test func `an answer about another address is not believed`() {
    for body in [#"{"ip":"8.8.4.4","country":"US"}"#, #"{"country":"US"}"#, #"{"ip":8}"#, "{}"] {
      #expect(api.read(body, for: ["8.8.8.8"], form: .single).missing == [0])
    }
  }

  @Test func `coordinates are two numbers or none`() {
    let table: [(String, String?, String?)] = [
      ("0,0", "0.0", "0.0"), ("-33.9,151", "-33.9", "151.0"), ("37.4", nil, nil), (",", nil, nil),
      ("1,", nil, nil), (",1", nil, nil), ("1,2,3", nil, nil), ("a,b", nil, nil),
      ("nan,1", nil, nil), ("1,inf", nil, nil), ("1e999,1", nil, nil),
    ]
    for (text, latitude, longitude) in table {
      let fields = api.single(#"{"ip":"8.8.8.8","country":"US","loc":"\#(text)"}"#)
      #expect(fields["status"] == "ok")
      #expect(fields["latitude"] == latitude, "\(text)")
      #expect(fields["longitude"] == longitude, "\(text)")
    }
  }

  @Test func `a country without a name is its code alone`() {
    let fields = api.single(#"{"ip":"8.8.8.8","country":"XX"}"#)
    #expect(fields["countryCode"] == "XX")
    #expect(fields["country"] == nil)
  }

  @Test func `a 429 without Retry-After means that the quota is spent`() {
    let keyless =
      #"{"status":429,"error":{"title":"Rate limit exceeded","message":"You've hit it."}}"#
    let token = #"{"title":"Rate limit exceeded","message":"Upgrade."}"#
    for form in [RequestForm.batch, .single] {
      for body in [keyless, token] {
        let spent = response(body, status: 429)
        #expect(api.read(spent, for: ["8.8.8.8"], form: form).lines == ["quota spent"])
      }
      let told = response(keyless, status: 429, ["Retry-After: 30"])
      #expect(api.read(told, for: ["8.8.8.8"], form: form).lines == ["throttled"])
      #expect(api.read(told, for: ["8.8.8.8"]).reading.notice.retryAfter == .seconds(30))
    }
  }

  @Test func `a spent quota ends with the day, or with a token with the month`() {
    let day = Int64(86_400)
    // 2023-11-14T22:13:20Z, and the first and last second of some months and of a year.
    let table: [(Int64, Int64, Int64)] = [
      (1_700_000_000, 1_700_006_400, 1_701_388_800),
      (1_701_388_800 - 1, 1_701_388_800, 1_701_388_800),
      (1_701_388_800, 1_701_388_800 + day, 1_704_067_200),
      (1_704_067_199, 1_704_067_200, 1_704_067_200),
      (1_709_164_800, 1_709_164_800 + day, 1_709_251_200),
    ]
    for (time, day, month) in table {
      #expect(CalendarWindow.day.rest(at: time) == .seconds(day - time))
      #expect(CalendarWindow.month.rest(at: time) == .seconds(month - time))
    }
    #expect(CalendarWindow.month.rest(at: -1) > .zero)
    let throttled = response("{}", status: 429)
    for (api, wait) in [(IPInfo(), 1_700_006_400), (IPInfo(token: "T"), 1_701_388_800)] {
      let verdict = api.read(throttled, for: ["8.8.8.8"], form: .single).verdict
      #expect(verdict.wait == .seconds(wait - 1_700_000_000))
    }
  }

  @Test func `an address that the provider takes for none is unknown, and no refusal`() {
    let table = [
      (
        404,
        #"{"status":404,"error":{"title":"Wrong ip","message":"Please provide a valid IP address"}}"#
      ),
      (400, #"{"error":"Please provide a valid IP address"}"#),
    ]
    for (status, body) in table {
      let reading = api.read(response(body, status: status), for: ["8.8.8.8"], form: .single)
      #expect(reading.lines == ["8.8.8.8 unknown"])
    }
    let path = response(#"{"error":"Endpoint not found."}"#, status: 404)
    #expect(
      api.read(path, for: ["8.8.8.8"], form: .single).lines
        == ["rejected: HTTP 404: Endpoint not found."]
    )
    #expect(api.read(path, for: ["8.8.8.8"]).lines == ["takes no batch"])
  }

  @Test func `errors are refusals in their own words, or faults`() {
    let table: [(Int, String, String)] = [
      (
        403, #"{"status":403,"error":{"title":"Unknown token","message":"See."}}"#,
        "refused: HTTP 403: Unknown token: See."
      ),
      (403, #"{"error":"API token required"}"#, "refused: HTTP 403: API token required"),
      (403, "<html>blocked</html>", "refused: HTTP 403"), (401, "{ }", "refused: HTTP 401"),
      (500, "Internal server error", "fault: HTTP 500"), (302, "", "login page"),
    ]
    for (status, body, line) in table {
      #expect(api.read(response(body, status: status), for: ["8.8.8.8"]).lines == [line])
    }
    #expect(api.read("<html>", for: ["8.8.8.8"]).lines == ["login page"])
    #expect(api.read("[]", for: ["8.8.8.8"]).lines == ["fault: the answer is not an object"])
    #expect(api.read("{", for: ["8.8.8.8"]).lines[0].hasPrefix("fault: the answer is not JSON"))
    #expect(api.read("", for: ["8.8.8.8"]).lines == ["fault: the answer is empty"])
  }
}

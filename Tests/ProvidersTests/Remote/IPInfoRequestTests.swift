import Records
import Testing
import Transfer

@testable import Providers

@Suite struct IPInfoRequestTests {
  private let addresses = ["8.8.8.8", "2001:db8::1"].map(address)

  @Test func `without a token one address is asked at a time, a thousand a day`() {
    let api = IPInfo()
    #expect(api.limit(of: .batch) == 0)
    #expect(api.limit(of: .single) == 1)
    #expect(api.allowance(of: .single) == Allowance(requests: 1000, per: .seconds(86_400)))
    let request = api.request(for: [addresses[1]], form: .single)
    #expect(request.url == "https://ipinfo.io/2001:db8::1/json")
    #expect(request.bearerToken == nil)
    #expect(api.isFree)
  }

  @Test func `with a token a thousand go in a batch, and the token is in no URL`() {
    let api = IPInfo(token: "T")
    #expect(api.limit(of: .batch) == 1000)
    #expect(api.allowance(of: .batch) == nil)
    let request = api.request(for: addresses, form: .batch)
    #expect(request.url == "https://ipinfo.io/batch")
    #expect(request.method == .post)
    #expect(request.bearerToken == "T")
    #expect(String(decoding: request.body, as: UTF8.self) == #"["8.8.8.8","2001:db8::1"]"#)
  }

  @Test func `Lite has its own places, under a mirror too`() {
    let api = IPInfoLite(token: "T")
    #expect(api.request(for: addresses, form: .batch).url == "https://api.ipinfo.io/batch/lite")
    #expect(
      api.request(for: [addresses[0]], form: .single).url == "https://api.ipinfo.io/lite/8.8.8.8"
    )
    let mirror = IPInfoLite(base: BaseURL("http://127.0.0.1:9/"), token: "T")
    let request = mirror.request(for: [addresses[0]], form: .single)
    #expect(request.url == "http://127.0.0.1:9/lite/8.8.8.8")
    #expect(request.bearerToken == "T")
    #expect(mirror.allowance(of: .batch) == nil)
  }
}

@Suite struct IPInfoLiteReadingTests {
  private let api = IPInfoLite(token: "T")

  @Test func `the documented answer fills its fields`() {
    let body = #"""
      {"ip":"8.8.8.8","asn":"AS15169","as_name":"Google LLC","as_domain":"google.com",
      "country_code":"US","country":"United States","continent_code":"NA",
      "continent":"North America"}
      """#
    #expect(
      api.single(body) == [
        "status": "ok", "source": "ipinfo-lite", "fetchedAt": "1700000000", "asn": "15169",
        "asName": "Google LLC", "countryCode": "US", "country": "United States",
        "continentCode": "NA",
      ]
    )
  }

  @Test func `all but the address is optional`() {
    #expect(api.single(#"{"ip":"8.8.8.8","country_code":"US"}"#)["status"] == "ok")
    #expect(api.single(#"{"ip":"8.8.8.8","asn":"AS1"}"#)["asn"] == "1")
    #expect(api.single(#"{"ip":"8.8.8.8"}"#)["status"] == "unknown")
    #expect(
      api.single(#"{"ip":"8.8.8.8","bogon":true}"#)["message"] == "ipinfo-lite: bogon"
    )
  }
}

@Suite struct IPifyTests {
  private let service = IPify()

  @Test func `an address is read in either family`() throws {
    #expect(
      try service.read(response(#"{"ip":"185.103.110.182"}"#)).get() == address("185.103.110.182")
    )
    #expect(try service.read(response(#"{"ip":"2001:db8::1"}"#)).get() == address("2001:db8::1"))
    #expect(service.request.url == "https://api64.ipify.org/?format=json")
    #expect(
      IPify(base: BaseURL("http://127.0.0.1:9/")).request.url == "http://127.0.0.1:9/?format=json"
    )
  }

  @Test func `anything else says why there is none`() {
    let table: [(Response, String)] = [
      (response(#"{"ip":"<nil>"}"#), "the answer holds no address"),
      (response(#"{"ip":""}"#), "the answer holds no address"),
      (response(#"{"ip":17}"#), "the answer holds no address"),
      (response(#"["1.2.3.4"]"#), "the answer holds no address"),
      (response("185.103.110.182"), "the answer holds no address"),
      (response(""), "the answer holds no address"),
      (response(#"{"error":"Too Many Requests"}"#, status: 429), "HTTP 429"),
      (response("", status: 404), "HTTP 404"), (response("<html>"), "a login page answered"),
      (response("", status: 302), "a login page answered"),
    ]
    for (response, reason) in table {
      #expect(service.read(response) == .failure(IPifyError(reason)))
    }
  }
}

import SondeAddresses
import SondeRecords
import TestSupport
import Testing
import SondeTransfer

@testable import SondeProviders

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
    let api = IPInfo(token: "T", isLite: true)
    #expect(api.request(for: addresses, form: .batch).url == "https://api.ipinfo.io/batch/lite")
    #expect(
      api.request(for: [addresses[0]], form: .single).url == "https://api.ipinfo.io/lite/8.8.8.8"
    )
    let mirror = IPInfo(base: BaseURL("http://127.0.0.1:9/"), token: "T", isLite: true)
    let request = mirror.request(for: [addresses[0]], form: .single)
    #expect(request.url == "http://127.0.0.1:9/lite/8.8.8.8")
    #expect(request.bearerToken == "T")
    #expect(mirror.allowance(of: .batch) == nil)
  }
}

@Suite struct IPInfoLiteReadingTests {
  private let api = IPInfo(token: "T", isLite: true)

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

  /// The address in a response, and what the response means.
  private func read(_ response: Response) -> (address: Address?, verdict: ExchangeVerdict) {
    let (reading, address) = service.read(response, time: readingTime)
    return (address, ExchangeVerdict(response, reading, form: .single))
  }

  @Test func `an address is read in either family`() {
    for text in ["185.103.110.182", "2001:db8::1"] {
      let (found, verdict) = read(response(#"{"ip":"\#(text)"}"#))
      #expect(found == address(text))
      #expect(verdict.meaning == .answered)
    }
    #expect(service.request.url == "https://api64.ipify.org/?format=json")
    #expect(
      IPify(base: BaseURL("http://127.0.0.1:9/")).request.url == "http://127.0.0.1:9/?format=json"
    )
  }

  @Test func `anything else means what it means of every provider`() {
    let table: [(Response, ExchangeVerdict.Meaning, String)] = [
      (response(#"{"ip":"<nil>"}"#), .retry, "the answer holds no address"),
      (response(#"{"ip":""}"#), .retry, "the answer holds no address"),
      (response(#"{"ip":17}"#), .retry, "the answer holds no address"),
      (response(#"["1.2.3.4"]"#), .retry, "the answer holds no address"),
      (response("185.103.110.182"), .retry, "the answer holds no address"),
      (response(""), .retry, "the answer holds no address"),
      (response("", status: 429), .throttled(isTold: false), "too many requests"),
      (
        response("", status: 429, ["Retry-After: 3"]), .throttled(isTold: true), "too many requests"
      ),
      (response("", status: 404), .rejected, "HTTP 404"),
      (response("", status: 401), .refused, "HTTP 401"),
      (response("", status: 403), .refused, "HTTP 403"),
      (response("", status: 503), .retry, "HTTP 503"),
      (response("<html>"), .lost, "a login page answered"),
      (response("", status: 302), .lost, "a login page answered"),
    ]
    for (response, meaning, words) in table {
      let (address, verdict) = read(response)
      #expect(address == nil)
      #expect(verdict.meaning == meaning)
      #expect(verdict.words == words)
    }
  }
}

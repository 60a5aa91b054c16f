import SondeAddresses
import SondeRecords
import TestSupport
import Testing
import SondeTransfer

@testable import SondeProviders

@Suite struct IPAPIRequestTests {
  private let addresses = ["8.8.8.8", "2001:4860:4860::8888"].map(address)

  @Test func `a batch is an array of canonical addresses`() {
    let request = IPAPI().request(for: addresses, form: .batch)
    #expect(request.method == .post)
    #expect(request.url == "http://ip-api.com/batch?fields=61435")
    #expect(String(decoding: request.body, as: UTF8.self) == #"["8.8.8.8","2001:4860:4860::8888"]"#)
    #expect(request.headers.map(\.name).contains("Content-Type"))
    #expect(request.bearerToken == nil)
  }

  @Test func `no more is read than the addresses of a question can take`() {
    let batch = [Address](repeating: addresses[0], count: 100)
    #expect(IPAPI().request(for: batch, form: .batch).maximumBody == 5696 << 10)
    #expect(IPAPI().request(for: [addresses[0]], form: .single).maximumBody == 4112 << 10)
    let thousand = [Address](repeating: addresses[0], count: 1000)
    #expect(IPInfo(token: "T").request(for: thousand, form: .batch).maximumBody == 16 << 20)
    #expect(IPInfo().request(for: [addresses[0]], form: .single).maximumBody == 4112 << 10)
  }

  @Test func `a single question is a path`() {
    let request = IPAPI().request(for: [addresses[1]], form: .single)
    #expect(request.method == .get)
    #expect(request.url == "http://ip-api.com/json/2001:4860:4860::8888?fields=61435")
    #expect(request.body == [])
  }

  @Test func `a key leads to the pro service, over TLS and without a quota`() {
    let api = IPAPI(key: "K")
    #expect(
      api.request(for: addresses, form: .batch).url
        == "https://pro.ip-api.com/batch?fields=61435&key=K"
    )
    #expect(api.probe.url == "https://pro.ip-api.com/json/?fields=8192&key=K")
    #expect(!api.isFree)
    #expect(api.allowance(of: .batch) == nil)
    #expect("\(api.request(for: addresses, form: .batch))".contains("key=K") == false)
  }

  @Test func `a mirror is asked in place of either`() {
    for key in [nil, "K"] {
      let api = IPAPI(base: BaseURL("http://127.0.0.1:8080/x//"), key: key)
      #expect(
        api.request(for: addresses, form: .batch).url.hasPrefix("http://127.0.0.1:8080/x/batch?")
      )
      #expect(api.isMirror)
    }
    #expect(!IPAPI().isMirror)
  }

  @Test func `the published quota counts batches and single questions apart`() {
    let api = IPAPI()
    #expect(api.allowance(of: .batch) == Allowance(requests: 15, per: .seconds(60)))
    #expect(api.allowance(of: .single) == Allowance(requests: 45, per: .seconds(60)))
    #expect(api.limit(of: .batch) == 100)
    #expect(api.limit(of: .single) == 1)
  }

  @Test func `columns beyond the usual ones are asked for only when they are wanted`() {
    let usual = 61_435
    let table: [(Set<Field>, Int)] = [
      (Set(Field.standard).subtracting([.hostname]), usual),
      ([.hostname], usual + 4096),
      ([.regionCode], usual + 4),
      ([.continentCode], usual + 2_097_152),
      ([.mobile, .proxy, .hosting], usual + 65_536 + 131_072 + 16_777_216),
      ([.input, .network, .cached], usual),
    ]
    for (fields, mask) in table {
      let url = IPAPI(fields: fields).request(for: addresses, form: .batch).url
      #expect(url == "http://ip-api.com/batch?fields=\(mask)")
    }
  }

  @Test func `the quota headers are read within bounds`() {
    let table: [(String, String, Int?, Duration?)] = [
      ("14", "60", 14, .seconds(60)), ("0", "0", 0, .zero),
      ("-3", "-1", 0, .zero), ("5", "999999999999", 5, .seconds(300)),
      ("", "", nil, nil), ("many", "soon", nil, nil), ("1.5", "1.5", nil, nil),
      ("99999999999999999999", "99999999999999999999", nil, .seconds(300)),
    ]
    for (left, rest, remaining, resetsIn) in table {
      let headers = ["X-Rl: \(left)", "x-ttl: \(rest)"]
      let notice = IPAPI().read(response("[]", headers), for: ["8.8.8.8"]).reading.notice
      #expect(notice.remaining == remaining, "X-Rl: \(left)")
      #expect(notice.resetsIn == resetsIn, "X-Ttl: \(rest)")
    }
  }
}

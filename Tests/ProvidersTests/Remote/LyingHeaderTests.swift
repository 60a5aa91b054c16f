import SondeRecords
import TestSupport
import Testing
import SondeTransfer

@testable import SondeProviders

/// Headers that say anything at all about time: nothing traps, and no wait is believed beyond the
/// provider's own.
@Suite struct LyingHeaderTests {
  private let services: [any RemoteAPI] = [
    IPAPI(), IPAPI(key: "K"), IPInfo(), IPInfo(token: "T"), IPInfo(token: "T", isLite: true),
  ]

  private static let words = [
    "", " ", "0", "1", "-1", "-0", "+5", "007", "1.5", "1e9", "0x10", "NaN", "inf", "soon", "5 ",
    "5,6",
    "5, 99999999", "99999999", "4294967296", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551616",
    "99999999999999999999999999999999999999999", "٣", "1٢", "Fri, 31 Dec 9999 23:59:59 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT",
    "Fri, 31 Dec 99999999999999999999 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, 5", "\u{0}",
    "\u{7f}",
  ]

  private static let bodies = [
    "", "{}", "[]", "<html>", #"{"error":"x"}"#, #"{"ip":"8.8.8.8","country":"US"}"#,
    #"[{"status":"success","query":"8.8.8.8","countryCode":"US"}]"#,
    #"{"status":"success","query":"8.8.8.8","countryCode":"US"}"#,
  ]

  /// A word that a header may hold: one of those above, a number of any size, or rubbish.
  private func word(_ generator: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return "\(Int64.random(in: .min ... .max, using: &generator))"
    case 1:
      return
        "\(UInt64.random(in: 0...(.max), using: &generator) >> UInt64.random(in: 0..<64, using: &generator))"
    case 2:
      let bytes = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
        UInt8.random(in: 0x20...0xff, using: &generator)
      }
      return String(decoding: bytes, as: UTF8.self)
    default: return Self.words.randomElement(using: &generator) ?? ""
    }
  }

  private func headers(_ generator: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
      let name = ["X-Rl", "X-Ttl", "Retry-After", "retry-after", "X-TTL"].randomElement(
        using: &generator
      )
      return "\(name ?? ""): \(word(&generator))"
    }
  }

  /// Moments of which the next day or month is near, far, or none.
  private static let times: [Int64] = [
    .min, -1, 0, 86_399, 1_700_000_000, 1_704_067_199, 253_402_300_799, 253_402_300_800, .max,
  ]

  @Test func `no header makes anybody wait beyond the provider's own window`() {
    var generator = SeededGenerator(seed: 24)
    var wrong: [String] = []
    for round in 0..<20_000 {
      let api = services[round % services.count]
      let time = Self.times.randomElement(using: &generator) ?? 0
      let longest = api.believableWait.longest(at: .seconds(time))
      let form: RequestForm = round % 2 == 0 ? .batch : .single
      let status = [200, 200, 429, 429, 503, 500, 404, 403].randomElement(using: &generator) ?? 200
      let headers = headers(&generator)
      let response = response(
        Self.bodies.randomElement(using: &generator) ?? "",
        status: status,
        headers
      )
      let address = address("8.8.8.8")
      let reading = api.read(response, for: [address], form: form, time: time)
      let verdict = ExchangeVerdict(response, reading, form: form)
      var quota = Quota(allowance: api.allowance(of: form), believing: api.believableWait)
      guard case .send(let ticket) = quota.reserve(now: .zero) else { continue }
      quota.settle(ticket, verdict.quota, now: .zero)
      let most = max(longest, .seconds(1), quota.allowance?.period ?? .zero)
      let end = quota.standing(at: .zero).end ?? .zero
      if verdict.wait > most || end > most + Quota.longestWay || verdict.wait < .zero {
        wrong.append("\(status) \(headers) at \(time): \(verdict.wait), \(end)")
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test func `no header of a registry makes anybody wait for more than an hour`() {
    var generator = SeededGenerator(seed: 25)
    var longest = Duration.zero
    for _ in 0..<5000 {
      let status = [200, 429, 503, 404, 301].randomElement(using: &generator) ?? 429
      let response = response("", status: status, headers(&generator))
      let time = Self.times.randomElement(using: &generator) ?? 0
      longest = max(
        longest,
        RegistryReading(response, about: address("8.8.8.8"), time: time).verdict.wait
      )
    }
    #expect(longest == .seconds(3600))
  }

  @Test func `the longest wait of a day or month ends an hour after it, from whatever moment`() {
    // 2023-11-14T22:13:20Z.
    let wall = Duration.milliseconds(1_700_000_000_250)
    #expect(BelievableWait.atMost(.seconds(300)).longest(at: wall) == .seconds(300))
    #expect(
      wall + BelievableWait.untilNext(.day).longest(at: wall) == .seconds(1_700_006_400 + 3600)
    )
    #expect(
      wall + BelievableWait.untilNext(.month).longest(at: wall) == .seconds(1_701_388_800 + 3600)
    )
  }

  @Test func `a 429 of ip-api has no body, and one of ipinfo no page`() {
    let table: [(any RemoteAPI, String, Bool)] = [
      (IPAPI(), "", true), (IPAPI(), " ", false), (IPAPI(), "{}", false),
      (IPAPI(), "<html>", false),
      (IPAPI(), "Too many requests", false), (IPInfo(), "", true), (IPInfo(), "{}", true),
      (IPInfo(), #"{"title":"Rate limit exceeded"}"#, true), (IPInfo(), "<html>", false),
      (IPInfo(), "Too many requests", false), (IPInfo(token: "T", isLite: true), "[]", false),
    ]
    for (api, body, isKept) in table {
      for headers in [[], ["Retry-After: 99999999"], ["X-Rl: 0", "X-Ttl: 99999999"]] {
        let judged = api.read(response(body, status: 429, headers), for: ["8.8.8.8"], form: .single)
        guard case .answered(let notice) = judged.verdict.quota else {
          Issue.record("\(body)")
          continue
        }
        #expect(notice.isThrottled == isKept, "\(api.source.name) \(body) \(headers)")
        #expect(isKept || notice == QuotaNotice(), "\(api.source.name) \(body) \(headers)")
      }
    }
    let page = IPInfo().read(response("<html>", status: 429), for: ["8.8.8.8"], form: .single)
    #expect(page.verdict.meaning == .throttled(isTold: false))
  }
}

import SondeAddresses
import SondeDatabases
import SondeProviders
import SondeRecords
import Testing
import SondeTransfer

@Suite struct ProvidersExamples {
  @Test func provider() {
    // example: Provider
    let provider = Provider(name: "ip-api")
    #expect(provider == .ipAPI && provider?.needsKey == false)
    #expect(provider?.service?.key.setting == "ip-api-key")
    #expect(Source.ipAPI.name == "ip-api")
    // end
  }

  @Test func dialect() throws {
    // example: RemoteAPI
    let api = IPAPI()
    let addresses = [try #require(Address("8.8.8.8")), try #require(Address("9.9.9.9"))]
    let request = api.request(for: addresses, form: .batch)
    #expect(request.method == .post && request.body == Array(#"["8.8.8.8","9.9.9.9"]"#.utf8))

    let response = Response(
      status: 200,
      body: Array(#"[{"status":"success","query":"8.8.8.8","countryCode":"US"}]"#.utf8),
      rawHeader: Array("X-Rl: 14\r\nX-Ttl: 60\r\n\r\n".utf8)
    )
    let reading = api.read(response, for: addresses, form: .batch, time: 1_792_000_000)
    guard case .answers(let answers) = reading.content else { return }
    #expect(answers.block.records.map(\.status) == [.ok, .failed])
    #expect(answers.missing == [1])
    #expect(reading.notice.remaining == 14 && reading.notice.resetsIn == .seconds(60))
    // end
  }

  @Test func verdict() {
    // example: ExchangeVerdict
    let api = IPAPI()
    let response = Response(
      status: 429,
      body: [],
      rawHeader: Array("X-Rl: 0\r\nX-Ttl: 7\r\n\r\n".utf8)
    )
    let reading = api.read(response, for: [], form: .batch, time: 1_792_000_000)
    let verdict = ExchangeVerdict(response, reading, form: .batch)
    #expect(verdict.meaning == .throttled(isTold: true))
    #expect(verdict.wait == .seconds(7))
    #expect(verdict.words == "too many requests")
    // end
  }

  @Test func quota() throws {
    // example: Quota
    var quota = Quota(allowance: Allowance(requests: 15, per: .seconds(60)))
    guard case .send(let ticket) = quota.reserve(now: .zero) else { return }
    // What other clients have used of the window is known when the first answer is in.
    #expect(quota.reserve(now: .seconds(1)) == .waitForAnswer(until: nil))

    var notice = QuotaNotice()
    (notice.remaining, notice.resetsIn, notice.isAnswer) = (0, .seconds(58), true)
    quota.settle(ticket, .answered(notice), now: .seconds(2))
    guard case .wait(let moment) = quota.reserve(now: .seconds(3)) else { return }
    #expect(moment >= .seconds(58) && moment <= .seconds(60))
    // end
  }

  @Test func sharedQuota() {
    // example: SharedQuota
    let start = Quota(allowance: Allowance(requests: 1, per: .seconds(60)))
    let reading = ClockReading(steady: .seconds(100), boot: 1, wall: .seconds(1_792_000_000))
    var here = SharedQuota(bytes: [], start: start, at: reading)
    #expect(here.reserve(1, for: 7, now: reading.steady).tickets.count == 1)

    // Another process takes the bytes over, and learns that the request is under way.
    var there = SharedQuota(bytes: here.bytes, start: start, at: reading)
    #expect(there.isUsedByOthers(than: 8, with: 0))
    #expect(there.reserve(1, for: 8, now: reading.steady).tickets.isEmpty)
    // end
  }

  @Test func localDatabases() throws {
    // example: LocalDatabases
    guard let path = LocalDatabases.defaultPaths.first else { return }
    let databases = try LocalDatabases(paths: [path])
    let block = databases.lookUp([try #require(Address("1.1.1.1"))])
    #expect(block.records[0].status == .ok)
    #expect(block.text(.countryCode, of: block.records[0])?.count == 2)
    // end
  }
}

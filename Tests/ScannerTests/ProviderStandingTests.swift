import Testing
import SondeTransfer

@testable import SondeAsking
@testable import SondeProviders
@testable import SondeRecords
import SondeSystem

@Suite struct ProviderStandingTests {
  private typealias Step = ProviderStanding.Step
  private typealias News = ProviderStanding.News

  private let start = Standing.start

  private func verdict(
    _ status: Int,
    words: String = "",
    wait: Int? = nil,
    form: RequestForm = .batch
  ) -> ExchangeVerdict {
    var notice = QuotaNotice()
    notice.retryAfter = wait.map { .seconds($0) }
    let content: Reading.Content =
      status == 200 ? .answers(Answers(block: RecordBlock())) : .unusable(words)
    return ExchangeVerdict(
      Response(status: status, body: []),
      Reading(content, notice),
      form: form
    )
  }

  @Test func `failing is told once, and so is that it answers again`() {
    let standing = Standing()
    #expect(standing.take(verdict(500)) == (.retry(isFree: false), .failing("HTTP 500")))
    #expect(standing.take(verdict(502)) == (.retry(isFree: false), nil))
    #expect(standing.faults == 2)
    #expect(standing.take(verdict(200)) == (.done, .answersAgain))
    #expect(standing.take(verdict(200)) == (.done, nil))
    #expect(standing.faults == 0)
  }

  @Test func `an answer without an entry for anybody is a fault`() {
    let standing = Standing()
    let (step, news) = standing.take(verdict(200), hasAnswer: false)
    #expect(step == .done)
    #expect(news == .failing("the answer has no usable entry for it"))
    #expect(standing.faults == 1)
  }

  @Test func `a wait that is told costs no retry, twenty times`() {
    let standing = Standing()
    for _ in 0..<19 { #expect(standing.take(verdict(429, wait: 1)).step == .retry(isFree: true)) }
    #expect(standing.take(verdict(429, wait: 1)).step == .retry(isFree: false))
    standing.take(verdict(200))
    #expect(standing.take(verdict(429, wait: 1)).step == .retry(isFree: true))
    #expect(standing.take(verdict(429)).step == .retry(isFree: false))
  }

  @Test func `a spent quota is told once, and ends by itself`() {
    let standing = Standing()
    let message = "the quota is spent until 2023-11-15T00:13:20Z"
    #expect(standing.take(verdict(429, wait: 7200)) == (.failed(message), .refused(message)))
    #expect(standing.take(verdict(429, wait: 7200)) == (.failed(message), nil))
    #expect(standing.unavailability(now: start + .seconds(7199)) == message)
    #expect(standing.unavailability(now: start + .seconds(7200)) == nil)
    #expect(standing.hasSpentQuota)
    #expect(standing.refusal == nil)
  }

  @Test func `a provider that is busy for hours has spent no quota`() {
    let standing = Standing()
    let message = "HTTP 503, not to be asked until 2023-11-15T00:13:20Z"
    #expect(standing.take(verdict(503, wait: 7200)) == (.failed(message), .failing(message)))
    #expect(standing.unavailability(now: start) == message)
    #expect(!standing.hasSpentQuota)
  }

  @Test func `a refusal is for good, and told once`() {
    let standing = Standing()
    let refused = standing.take(verdict(403, words: "banned"))
    #expect(refused == (.failed("refused: HTTP 403: banned"), .refused("HTTP 403: banned")))
    #expect(standing.take(verdict(401)).news == nil)
    #expect(standing.unavailability(now: start + .seconds(1e6)) == "refused: HTTP 403: banned")
  }

  @Test func `that there are no batches is believed the second time`() {
    let standing = Standing()
    #expect(standing.take(verdict(404)) == (.askOnceMore, nil))
    #expect(standing.missesBatches)
    // One that was under way then says nothing more.
    #expect(standing.take(verdict(404)) == (.askOnceMore, nil))
    let second = standing.take(verdict(404), isSecondLook: true)
    #expect(second == (.singly, .takesNoBatches("HTTP 404")))
    #expect(standing.form == .single)
    #expect(standing.take(verdict(405)) == (.singly, nil))
  }

  @Test func `a batch that is answered in between begins that anew`() {
    let standing = Standing()
    standing.take(verdict(404))
    standing.take(verdict(200))
    #expect(!standing.missesBatches)
    #expect(standing.form == .batch)
  }

  @Test func `a request to blame is split, and alone it fails`() {
    let standing = Standing()
    #expect(standing.take(verdict(422)) == (.split, nil))
    #expect(standing.take(verdict(422), addresses: 1) == (.failed("HTTP 422"), nil))
    #expect(standing.faults == 0)
  }

  @Test func `after twenty in a row it is the provider that is to blame`() {
    let standing = Standing()
    for _ in 0..<20 {
      #expect(standing.take(verdict(400), addresses: 1).step == .failed("HTTP 400"))
    }
    #expect(standing.take(verdict(400), addresses: 1).step == .retry(isFree: false))
    #expect(standing.take(verdict(400)).step == .retry(isFree: false))
    standing.take(verdict(200))
    #expect(standing.take(verdict(400), addresses: 1).step == .failed("HTTP 400"))
  }

  @Test func `a dead connection is replaced once, for nothing`() {
    let standing = Standing()
    let stale = ExchangeVerdict(TransferError(.staleConnection, phase: .waiting))
    #expect(standing.take(stale) == (.again(isFresh: true), nil))
    #expect(standing.take(stale, isFresh: true).step == .retry(isFree: false))
  }
}

/// A standing whose steps may be looked at in an expectation.
private final class Standing {
  static let start = ContinuousClock.now

  private var standing = ProviderStanding(form: .batch)

  var form: RequestForm { standing.form }
  var faults: Int { standing.faults }
  var refusal: Refusal? { standing.refusal }
  var missesBatches: Bool { standing.missesBatches }
  var hasSpentQuota: Bool { standing.hasSpentQuota }

  func unavailability(now: ContinuousClock.Instant) -> String? { standing.unavailability(now: now) }

  @discardableResult
  func take(
    _ verdict: ExchangeVerdict,
    addresses: Int = 100,
    isSecondLook: Bool = false,
    isFresh: Bool = false,
    hasAnswer: Bool = true
  ) -> (step: ProviderStanding.Step, news: ProviderStanding.News?) {
    var question = ProviderStanding.Question(addresses: addresses, form: .batch)
    (question.isSecondLook, question.isFreshConnection) = (isSecondLook, isFresh)
    let wall = Timestamp(seconds: 1_700_000_000)
    return standing.take(
      verdict,
      of: question,
      hasAnswer: hasAnswer,
      now: Self.start,
      wall: wall
    )
  }
}

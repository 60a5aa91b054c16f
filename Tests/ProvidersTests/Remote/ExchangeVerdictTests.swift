import SondeRecords
import Testing
import SondeTransfer

@testable import SondeProviders

/// The table of what a status means, written out a second time and compared for every status.
@Suite struct ExchangeVerdictTests {
  private typealias Meaning = ExchangeVerdict.Meaning

  private let forms: [RequestForm] = [.batch, .single]

  private var bodies: [(name: String, content: Reading.Content)] {
    [
      ("answers", .answers(Answers(block: .init()))), ("nothing", .nothing),
      ("words", .unusable("words")), ("silence", .unusable("")),
    ]
  }

  private func verdict(
    _ status: Int,
    _ content: Reading.Content,
    _ form: RequestForm,
    notice: QuotaNotice = QuotaNotice(),
    type: String = "application/json",
    isGenuine: Bool = true
  ) -> ExchangeVerdict {
    let head = "Content-Type: \(type)\r\n"
    let response = Response(status: status, body: [], rawHeader: Array(head.utf8))
    let reading = Reading(content, notice, isGenuine: isGenuine)
    return ExchangeVerdict(response, reading, form: form)
  }

  /// What the contract says of a status without any header, for a body that holds no entries.
  private func expected(_ status: Int, _ form: RequestForm) -> Meaning {
    switch status {
    case 300...399, 511: .lost
    case 429: .throttled(isTold: false)
    case 401, 402, 403, 407: .refused
    case 404, 405, 501: form == .batch ? .noBatches : status == 501 ? .retry : .rejected
    case 408, 425: .retry
    case 400...499: .rejected
    default: .retry
    }
  }

  @Test func `every status means what the contract says, in either form`() {
    var wrong: [String] = []
    for status in 100...599 {
      for form in forms {
        for words in ["", "words"] {
          let verdict = verdict(status, .unusable(words), form)
          if verdict.meaning != expected(status, form) {
            wrong.append("\(status) \(form): \(verdict.meaning)")
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `a body with entries is an answer, unless the status speaks against it`() {
    let answers = Reading.Content.answers(Answers(block: .init()))
    for form in forms {
      #expect(verdict(200, answers, form).meaning == .answered)
      #expect(verdict(429, answers, form).meaning == .throttled(isTold: false))
      #expect(verdict(302, answers, form).meaning == .lost)
    }
    // ipinfo's word for an address that it takes for none.
    #expect(verdict(404, answers, .single).meaning == .answered)
  }

  @Test func `an empty 200 that stands for a 429 is one`() {
    for form in forms {
      #expect(verdict(200, .nothing, form).meaning == .throttled(isTold: false))
      #expect(verdict(200, .nothing, form).wait == .seconds(1))
    }
  }

  @Test func `HTML with 200 is a login page, with any other status that status`() {
    for status in 100...599 {
      let verdict = verdict(status, .unusable(""), .single, type: "text/html")
      let isLoginPage = status == 200 || (300...399).contains(status) || status == 511
      #expect((verdict.path == .loginPage) == isLoginPage, "\(status)")
    }
  }

  @Test func `a wait is kept up to an hour, and longer ones are not waited for`() {
    for seconds in [0, 1, 59, 3600, 3601, 7200, 86_400] {
      var notice = QuotaNotice()
      notice.retryAfter = .seconds(seconds)
      let isLong = seconds > 3600
      for form in forms {
        let throttled = verdict(429, .unusable(""), form, notice: notice)
        #expect(
          throttled.meaning == (isLong ? .away(isQuotaSpent: true) : .throttled(isTold: true))
        )
        #expect(throttled.wait == .seconds(max(1, seconds)))
        let busy = verdict(503, .unusable(""), form, notice: notice)
        #expect(busy.meaning == (isLong ? .away(isQuotaSpent: false) : .retry))
        #expect(busy.wait == .seconds(seconds))
      }
    }
    var day = QuotaNotice()
    (day.retryAfter, day.isSpentForPeriod) = (.seconds(5), true)
    #expect(verdict(429, .unusable(""), .single, notice: day).meaning == .away(isQuotaSpent: true))
    var window = QuotaNotice()
    window.resetsIn = .seconds(40)
    #expect(verdict(429, .unusable(""), .batch, notice: window).meaning == .throttled(isTold: true))
    #expect(verdict(429, .unusable(""), .batch, notice: window).wait == .seconds(40))
    #expect(verdict(503, .unusable(""), .batch, notice: window).wait == .zero)
  }

  @Test func `a refusal in the provider's place is waited for by this run and kept by nobody`() {
    for seconds in [nil, 5, 3600, 3601, 99_999_999] as [Int?] {
      var notice = QuotaNotice()
      (notice.retryAfter, notice.remaining) = (seconds.map { .seconds($0) }, 0)
      notice.resetsIn = .seconds(300)
      let own = verdict(429, .unusable(""), .batch, notice: notice)
      let others = verdict(429, .unusable(""), .batch, notice: notice, isGenuine: false)
      #expect((others.meaning, others.wait) == (own.meaning, own.wait), "\(seconds ?? -1)")
      #expect((own.pause, others.pause) == (.zero, own.wait), "\(seconds ?? -1)")
      #expect(others.quota == .answered(QuotaNotice()), "\(seconds ?? -1)")
    }
  }

  @Test func `the quota keeps what the provider itself says of it, and nothing else`() {
    var notice = QuotaNotice()
    (notice.retryAfter, notice.remaining, notice.resetsIn) = (.seconds(9), 3, .seconds(20))
    for status in 100...599 {
      for (name, content) in bodies {
        let verdict = verdict(status, content, .single, notice: notice)
        guard case .answered(let told) = verdict.quota else {
          #expect(verdict.path == .loginPage && verdict.quota == .notSent, "\(status) \(name)")
          continue
        }
        let isThrottled = status == 429 || status == 200 && name == "nothing"
        #expect(told.isThrottled == isThrottled, "\(status) \(name)")
        #expect(told.retryAfter == (isThrottled ? .seconds(9) : nil), "\(status) \(name)")
        #expect(told.isAnswer == (verdict.meaning == .answered), "\(status) \(name)")
        let isBelieved = isThrottled || told.isAnswer
        #expect(told.remaining == (isBelieved ? 3 : nil), "\(status) \(name)")
        #expect(told.resetsIn == (isBelieved ? .seconds(20) : nil), "\(status) \(name)")
      }
    }
  }

  @Test func `every response was sent, and only an answer proves that no login page is there`() {
    for status in 100...599 {
      for form in forms {
        for (name, content) in bodies {
          let verdict = verdict(status, content, form)
          #expect(verdict.wasSent)
          let isAnswered = verdict.meaning == .answered
          #expect((verdict.path == .answered) == isAnswered, "\(status) \(name)")
          #expect(verdict.path != nil)
          #expect(!verdict.words.isEmpty, "\(status) \(name)")
        }
      }
    }
  }

  @Test func `the words are the provider's, behind the status`() {
    let table: [(Int, Reading.Content, String)] = [
      (403, .unusable("bad key"), "HTTP 403: bad key"), (403, .unusable(""), "HTTP 403"),
      (200, .unusable("the answer is not JSON"), "the answer is not JSON"),
      (204, .unusable(""), "HTTP 204"), (429, .unusable(""), "too many requests"),
      (429, .unusable("Upgrade."), "HTTP 429: Upgrade."), (200, .nothing, "too many requests"),
      (302, .unusable(""), "a login page answered"),
    ]
    for (status, content, words) in table {
      #expect(verdict(status, content, .batch).words == words)
    }
  }

  // MARK: - Failures

  private static let reasons: [TransferError.Reason] = [
    .couldNotResolve, .connectTimedOut, .connectionRefused, .noRoute, .notPermitted,
    .proxyAnswered(status: 407), .proxyAnswered(status: 302), .proxyAnswered(status: 503),
    .connectionFailed("x"), .tls("x"), .timedOut, .connectionLost, .staleConnection,
    .bodyTooLarge, .malformedAnswer("x"), .misconfigured("x"), .cancelled, .givenUp,
  ]

  private static let phases: [(TransferError.Phase, wasSent: Bool)] = [
    (.preparing, false), (.resolving, false), (.connecting, false), (.securing, false),
    (.waiting, true), (.receiving, true),
  ]

  @Test func `whether it counts is the phase's to say, whatever the error`() {
    for reason in Self.reasons {
      for (phase, wasSent) in Self.phases {
        let verdict = ExchangeVerdict(TransferError(reason, phase: phase))
        #expect(verdict.wasSent == wasSent, "\(reason) \(phase)")
        #expect(verdict.quota == (wasSent ? .lost : .notSent), "\(reason) \(phase)")
      }
    }
  }

  @Test func `what the network is to blame for costs no retry`() {
    for reason in Self.reasons {
      let meaning = ExchangeVerdict(TransferError(reason)).meaning
      switch reason {
      case .couldNotResolve, .connectTimedOut, .noRoute, .notPermitted, .givenUp:
        #expect(meaning == .lost, "\(reason)")
      case .proxyAnswered(407): #expect(meaning == .refused)
      case .proxyAnswered(302): #expect(meaning == .lost)
      case .staleConnection: #expect(meaning == .stale)
      case .misconfigured, .addressRefused: #expect(meaning == .hopeless)
      case .connectionRefused, .proxyAnswered, .connectionFailed, .tls, .timedOut, .connectionLost,
        .bodyTooLarge, .malformedAnswer, .notStored, .cancelled:
        #expect(meaning == .retry, "\(reason)")
      }
    }
  }
}

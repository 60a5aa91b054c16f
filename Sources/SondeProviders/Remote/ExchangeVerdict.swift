public import SondeTransfer

/// What one exchange with a provider means: for the question, for the path to the provider, for the
/// run's budget and for the quota.
///
/// The one table of this; pure.
public struct ExchangeVerdict: Sendable {
  /// What it means for the question.
  public enum Meaning: Sendable, Equatable {
    /// Answered, though perhaps not for every address.
    case answered
    /// The provider's fault: another try, which costs a retry, may do better.
    case retry
    /// Too many requests: nothing may be sent for a while. Costs no retry where it is told how long.
    case throttled(isTold: Bool)
    /// To be left alone for longer than is waited for, and whether for a spent quota.
    case away(isQuotaSpent: Bool)
    /// The provider will not answer this user in this run.
    case refused
    /// It seems to take one address at a time.
    case noBatches
    /// This request's own fault.
    case rejected
    /// Nothing came of it, through no fault of the provider's; it may be sent again for nothing.
    case lost
    /// Nothing came of it, because a kept connection was dead; it may be sent again over a new one.
    case stale
    /// Trying again is of no use.
    case hopeless
  }

  /// A wait longer than this is not waited for.
  public static let longestWait = Duration.seconds(3600)

  /// The shortest wait after too many requests, told or not.
  public static let shortestPause = Duration.seconds(1)

  /// What it means for the question.
  public let meaning: Meaning

  /// What it tells about the path; `nil` for nothing.
  public let path: PathEvidence?

  /// What it means for the quota.
  public let quota: Quota.Outcome

  /// Whether the provider may have counted the request.
  public let wasSent: Bool

  /// How long the provider wants to be left alone.
  public let wait: Duration

  /// How much of ``wait`` concerns this run alone: ``quota`` knows nothing of it.
  public let pause: Duration

  /// Why there is no answer, for a person; nothing of the URL but the host.
  public let words: String
}

// MARK: - Responses

extension ExchangeVerdict {
  /// Judges a response.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - reading: What it holds in the provider's dialect.
  ///   - form: The form of the request.
  public init(_ response: Response, _ reading: Reading, form: RequestForm) {
    let (meaning, wait) = Self.judge(response, reading, form: form)
    let notice = Self.notice(of: reading, meaning)
    self.meaning = meaning
    self.wait = wait
    pause = notice.isThrottled ? .zero : wait
    wasSent = true
    words = Self.words(response, reading)
    if response.looksLikeLoginPage {
      (path, quota) = (.loginPage, .notSent)
    } else {
      (path, quota) = (meaning == .answered ? .answered : .open, .answered(notice))
    }
  }

  /// What the quota learns: from what the provider itself has said of it, and nothing else.
  ///
  /// Anybody on the path can put headers to an error, or turn a request down in the provider's place. A
  /// provider that wants to be left alone for another reason than its quota may be tried by other runs.
  private static func notice(of reading: Reading, _ meaning: Meaning) -> QuotaNotice {
    var notice = QuotaNotice()
    switch meaning {
    case .answered:
      (notice.remaining, notice.resetsIn) = (reading.notice.remaining, reading.notice.resetsIn)
      notice.isAnswer = true
    case .throttled, .away(isQuotaSpent: true):
      guard reading.isGenuine else { break }
      notice = reading.notice
      notice.isThrottled = true
    case .retry, .away, .refused, .noBatches, .rejected, .lost, .stale, .hopeless: break
    }
    return notice
  }

  private static func judge(
    _ response: Response,
    _ reading: Reading,
    form: RequestForm
  ) -> (Meaning, wait: Duration) {
    if response.looksLikeLoginPage { return (.lost, .zero) }
    switch (response.status, reading.content) {
    case (429, _), (200, .nothing):
      return throttled(reading.notice)
    case (_, .answers): return (.answered, .zero)
    case (let status, _) where isRefusal(status): return (.refused, .zero)
    case (404...405, _) where form == .batch, (501, _) where form == .batch:
      return (.noBatches, .zero)
    case (408, _), (425, _), (500..., _): return busy(for: reading.notice.retryAfter)
    case (400..<500, _): return (.rejected, .zero)
    default: return (.retry, .zero)
    }
  }

  /// Whether a status means that this user will not be answered in this run.
  private static func isRefusal(_ status: Int) -> Bool {
    401...403 ~= status || status == 407
  }

  private static func throttled(_ notice: QuotaNotice) -> (Meaning, wait: Duration) {
    let told = notice.retryAfter ?? notice.resetsIn
    let wait = max(told ?? .zero, shortestPause)
    let isAway = notice.isSpentForPeriod || wait > longestWait
    return (isAway ? .away(isQuotaSpent: true) : .throttled(isTold: told != nil), wait)
  }

  private static func busy(for told: Duration?) -> (Meaning, wait: Duration) {
    let wait = told ?? .zero
    return (wait > longestWait ? .away(isQuotaSpent: false) : .retry, wait)
  }

  private static let loginPageWords = "a login page answered"

  private static func words(_ response: Response, _ reading: Reading) -> String {
    if response.looksLikeLoginPage { return loginPageWords }
    switch (response.status, reading.content) {
    case (_, .answers(let answers)): return answers.reason
    case (200, .unusable(let reason)) where !reason.isEmpty: return reason
    case (429, .unusable("")), (200, .nothing): return "too many requests"
    case (let status, .unusable(let words)) where !words.isEmpty:
      return "HTTP \(status): \(words)"
    case (let status, _): return "HTTP \(status)"
    }
  }
}

// MARK: - Failures

extension ExchangeVerdict {
  /// Judges a transfer that brought no response.
  public init(_ error: TransferError) {
    meaning =
      switch error.reason {
      case .couldNotResolve, .connectTimedOut, .noRoute, .notPermitted, .givenUp: .lost
      case .proxyAnswered(let status) where Self.isRefusal(status): .refused
      case .proxyAnswered where error.evidence == .loginPage: .lost
      case .connectionRefused, .proxyAnswered, .connectionFailed, .tls, .timedOut, .connectionLost,
        .bodyTooLarge, .malformedAnswer, .cancelled:
        .retry
      case .staleConnection: .stale
      case .misconfigured, .addressRefused: .hopeless
      }
    path = error.evidence
    wasSent = error.wasSent
    quota = wasSent ? .lost : .notSent
    (wait, pause) = (.zero, .zero)
    words = path == .loginPage ? Self.loginPageWords : error.description
  }
}

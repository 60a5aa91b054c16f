public import SondeTransfer

/// The consequences of one exchange with a provider, for the question, the path, the run's budget
/// and the quota.
///
/// All of these decisions are made here, without side effects.
public struct ExchangeVerdict: Sendable {
  /// The consequence for the question.
  public enum Meaning: Sendable, Equatable {
    /// Answered, though perhaps not for all addresses.
    case answered
    /// The provider's fault: a retry, which counts as one, may succeed.
    case retry
    /// Too many requests: nothing may be sent for a while. It does not count as a retry if the time
    /// is stated.
    case throttled(isTold: Bool)
    /// Unavailable for longer than is waited, possibly because of a spent quota.
    case away(isQuotaSpent: Bool)
    /// The provider refuses this user for the rest of the run.
    case refused
    /// The provider seems to accept only one address per request.
    case noBatches
    /// The request itself was invalid.
    case rejected
    /// No answer, through no fault of the provider; may be retried without being counted.
    case lost
    /// No answer, because a pooled connection was dead; may be retried over a new one.
    case stale
    /// A retry is useless.
    case hopeless
  }

  /// The longest time that is waited.
  public static let longestWait = Duration.seconds(3600)

  /// The shortest wait after too many requests, stated or not.
  public static let shortestPause = Duration.seconds(1)

  /// The consequence for the question.
  public let meaning: Meaning

  /// The evidence about the path; `nil` for none.
  public let path: PathEvidence?

  /// The consequence for the quota.
  public let quota: Quota.Outcome

  /// Whether the provider may have counted the request.
  public let wasSent: Bool

  /// How long the provider asks to send nothing.
  public let wait: Duration

  /// The part of ``wait`` that applies to this run only and is not in ``quota``.
  public let pause: Duration

  /// Why there is no answer, in plain words, with the host but nothing else of the URL.
  public let words: String
}

// MARK: - Responses

extension ExchangeVerdict {
  /// Interprets a response, whose content was read in the provider's dialect.
  public init(_ response: Response, _ reading: Reading, form: RequestForm) {
    let (meaning, wait) = Self.judge(response, reading, form: form)
    let notice = Self.notice(of: reading, meaning)
    (self.meaning, self.wait) = (meaning, wait)
    pause = notice.isThrottled ? .zero : wait
    wasSent = true
    words = Self.words(response, reading)
    if response.looksLikeLoginPage {
      (path, quota) = (.loginPage, .notSent)
    } else {
      (path, quota) = (meaning == .answered ? .answered : .open, .answered(notice))
    }
  }

  /// The information for the quota, only from what the provider itself has sent.
  ///
  /// On the path, headers can be added to an error, and a request can be refused in the provider's
  /// name. A provider that is unavailable for another reason than its quota may be tried by other
  /// runs.
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
    case (429, _), (200, .nothing): return throttled(reading.notice)
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
  private static func isRefusal(_ status: Int) -> Bool { 401...403 ~= status || status == 407 }

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
    case (let status, .unusable(let words)) where !words.isEmpty: return "HTTP \(status): \(words)"
    case (let status, _): return "HTTP \(status)"
    }
  }
}

// MARK: - Failures

extension ExchangeVerdict {
  /// Interprets a transfer without a response.
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
      case .misconfigured, .addressRefused, .notStored: .hopeless
      }
    path = error.evidence
    wasSent = error.wasSent
    quota = wasSent ? .lost : .notSent
    (wait, pause) = (.zero, .zero)
    words = path == .loginPage ? Self.loginPageWords : error.description
  }
}

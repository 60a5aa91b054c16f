package import SondeProviders
import SondeRecords
package import SondeSystem
import SondeTransfer

/// The reason why a provider is not asked any more in this run.
package struct Refusal: Error, Equatable {
  package let message: String

  package init(message: String) { self.message = message }
}

/// The state of a provider in this run, and its changes by exchanges: a pure value.
package struct ProviderStanding: Sendable {
  /// How a question continues after an exchange.
  package enum Step: Equatable, Sendable {
    /// It is answered.
    case done
    /// It is retried; a free retry is not counted, because the gate already waits.
    case retry(isFree: Bool)
    /// It is repeated at once, over a new connection if the pooled one was dead.
    case again(isFresh: Bool)
    /// It is repeated once before batches are considered unsupported.
    case askOnceMore
    /// It is sent as single look-ups.
    case singly
    /// It is split into halves.
    case split
    /// It fails, with the reason.
    case failed(String)
  }

  /// A change to report.
  package enum News: Equatable, Sendable {
    case failing(String)
    case refused(String)
    case answersAgain
    case takesNoBatches(String)
  }

  /// The properties of a question that matter to its outcome.
  package struct Question: Sendable {
    package var addresses: Int
    package var form: RequestForm
    /// Whether this was the second attempt to find the endpoint for batches.
    var isSecondLook = false
    package var isFreshConnection = false

    package init(
      addresses: Int,
      form: RequestForm,
      isSecondLook: Bool = false,
      isFreshConnection: Bool = false
    ) {
      (self.addresses, self.form, self.isSecondLook) = (addresses, form, isSecondLook)
      self.isFreshConnection = isFreshConnection
    }
  }

  private struct Absence {
    let until: ContinuousClock.Instant
    let message: String
    var isOfQuota = false
  }

  /// The number of consecutive single look-ups that may be rejected through their own fault.
  static let rejectionsInARow = 20

  /// The number of consecutive waits required by the provider that are not counted as retries.
  private static let freeWaits = 20

  /// The current form of requests.
  private(set) var form: RequestForm

  /// Why it is not asked any more, if so.
  package private(set) var refusal: Refusal?

  /// Whether its quota of a day or longer was spent at some time in the run.
  package private(set) var hasSpentQuota = false

  /// The number of faults since the last answer.
  private(set) var faults = 0

  /// Whether its endpoint for batches was not found and has not answered since.
  private(set) var missesBatches = false

  private var absence: Absence?
  private var rejections = 0
  private var isFailing = false

  package init(form: RequestForm) { self.form = form }

  /// Why it cannot be asked now; `nil` if it can.
  package func unavailability(now: ContinuousClock.Instant) -> String? {
    if let refusal { return "refused: \(refusal.message)" }
    guard let absence, now < absence.until else { return nil }
    return absence.message
  }

  /// The time until its spent quota is renewed; `nil` if it is not spent.
  func quotaWait(now: ContinuousClock.Instant) -> Duration? {
    guard let absence, absence.isOfQuota, now < absence.until else { return nil }
    return absence.until - now
  }

  /// Handles the result of an exchange; returns how the question continues, and a change to report.
  ///
  /// `hasAnswer` is whether at least one address was answered.
  package mutating func take(
    _ verdict: ExchangeVerdict,
    of question: Question,
    hasAnswer: Bool,
    now: ContinuousClock.Instant,
    wall: Timestamp
  ) -> (step: Step, news: News?) {
    switch verdict.meaning {
    case .answered:
      return (.done, hasAnswer ? succeed(in: question.form) : fail(verdict.words))
    case .retry: return (.retry(isFree: false), fail(verdict.words))
    case .throttled(let isTold):
      if isTold { faults += 1 }
      return (.retry(isFree: isTold && faults < Self.freeWaits), nil)
    case .away(let isQuotaSpent):
      return leave(verdict, isQuotaSpent: isQuotaSpent, now: now, wall: wall)
    case .refused:
      let isNews = refusal == nil
      refusal = refusal ?? Refusal(message: verdict.words)
      return (.failed("refused: \(verdict.words)"), isNews ? .refused(verdict.words) : nil)
    case .noBatches: return missBatches(verdict.words, question)
    case .rejected: return reject(verdict.words, question)
    case .lost: return (.again(isFresh: false), nil)
    case .stale where !question.isFreshConnection: return (.again(isFresh: true), nil)
    case .stale: return (.retry(isFree: false), fail(verdict.words))
    case .hopeless: return (.failed(verdict.words), nil)
    }
  }

  /// Records that the quota is spent for longer than the patience.
  ///
  /// Returns the reason for records until then, and the change to report if it is new.
  package mutating func noteSpentQuota(
    for wait: Duration,
    now: ContinuousClock.Instant,
    wall: Timestamp
  ) -> (message: String, news: News?) {
    hasSpentQuota = true
    let message = "the quota is spent until \(wall.adding(wait).wholeSeconds)"
    let isNews = absence.map { $0.until <= now } ?? true
    if isNews { absence = Absence(until: now + wait, message: message, isOfQuota: true) }
    isFailing = true
    return (absence?.message ?? message, isNews ? .refused(message) : nil)
  }

  private mutating func leave(
    _ verdict: ExchangeVerdict,
    isQuotaSpent: Bool,
    now: ContinuousClock.Instant,
    wall: Timestamp
  ) -> (Step, News?) {
    if isQuotaSpent {
      let (message, news) = noteSpentQuota(for: verdict.wait, now: now, wall: wall)
      return (.failed(message), news)
    }
    let end = wall.adding(verdict.wait).wholeSeconds
    let message = "\(verdict.words), not to be asked until \(end)"
    absence = Absence(until: now + verdict.wait, message: message)
    return (.failed(message), fail(message))
  }

  private mutating func missBatches(_ words: String, _ question: Question) -> (Step, News?) {
    guard form == .batch else { return (.singly, nil) }
    guard question.isSecondLook else {
      missesBatches = true
      return (.askOnceMore, nil)
    }
    form = .single
    return (.singly, .takesNoBatches(words))
  }

  private mutating func reject(_ words: String, _ question: Question) -> (Step, News?) {
    guard rejections < Self.rejectionsInARow else { return (.retry(isFree: false), fail(words)) }
    guard question.addresses == 1 else { return (.split, nil) }
    rejections += 1
    return (.failed(words), nil)
  }

  private mutating func succeed(in form: RequestForm) -> News? {
    defer { isFailing = false }
    (faults, rejections) = (0, 0)
    if form == .batch { missesBatches = false }
    return isFailing ? .answersAgain : nil
  }

  private mutating func fail(_ words: String) -> News? {
    defer { isFailing = true }
    faults += 1
    return isFailing ? nil : .failing(words)
  }
}

extension Timestamp {
  /// The moment after a wait, rounded so that it is never a second too early.
  fileprivate func adding(_ wait: Duration) -> Timestamp {
    let rest = milliseconds - seconds * 1000 + Int64((wait / .milliseconds(1)).rounded(.up))
    return Timestamp(seconds: seconds + rest / 1000)
  }
}

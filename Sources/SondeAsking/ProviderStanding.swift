package import SondeProviders
import SondeRecords
package import SondeSystem
import SondeTransfer

/// Why a provider is not asked any more in this run.
package struct Refusal: Error, Equatable {
  package let message: String

  /// Makes one of its parts.
  package init(message: String) {
    self.message = message
  }
}

/// How a provider stands in this run, and what each exchange makes of that: a pure value.
package struct ProviderStanding: Sendable {
  /// How a question goes on after an exchange.
  package enum Step: Equatable, Sendable {
    /// There are answers.
    case done
    /// Asked again; a free try costs nothing, because the gate already waits.
    case retry(isFree: Bool)
    /// Asked again at once, over a new connection where the kept one was dead.
    case again(isFresh: Bool)
    /// Asked again before it is believed that there are no batches.
    case askOnceMore
    /// Asked one address at a time.
    case singly
    /// Asked in halves, each by itself.
    case split
    /// Not asked again, and why.
    case failed(String)
  }

  /// What is worth telling.
  package enum News: Equatable, Sendable {
    case failing(String)
    case refused(String)
    case answersAgain
    case takesNoBatches(String)
  }

  /// What was asked, as far as it matters for what comes of it.
  package struct Question: Sendable {
    package var addresses: Int
    package var form: RequestForm
    /// Whether this was the second try to find the endpoint for batches.
    var isSecondLook = false
    package var isFreshConnection = false

    /// Makes one of its parts.
    package init(
      addresses: Int,
      form: RequestForm,
      isSecondLook: Bool = false,
      isFreshConnection: Bool = false
    ) {
      self.addresses = addresses
      self.form = form
      self.isSecondLook = isSecondLook
      self.isFreshConnection = isFreshConnection
    }
  }

  private struct Absence {
    let until: ContinuousClock.Instant
    let message: String
    var isOfQuota = false
  }

  /// So many addresses in a row, each asked alone, may be at fault themselves.
  static let rejectionsInARow = 20

  /// So many waits in a row that the provider asked for cost no retry.
  private static let freeWaits = 20

  /// The form in which it is asked at the moment.
  private(set) var form: RequestForm

  /// Why it is not asked any more, if that is so.
  private(set) var refusal: Refusal?

  /// Whether its quota of a day or longer was spent at some time in the run.
  private(set) var hasSpentQuota = false

  /// Faults since the last answer.
  private(set) var faults = 0

  /// Whether its endpoint for batches could not be found and has not answered since.
  private(set) var missesBatches = false

  private var absence: Absence?
  private var rejections = 0
  private var isFailing = false

  package init(form: RequestForm) { self.form = form }

  /// Why it is not to be asked now; `nil` where it may be.
  package func unavailability(now: ContinuousClock.Instant) -> String? {
    if let refusal { return "refused: \(refusal.message)" }
    guard let absence, now < absence.until else { return nil }
    return absence.message
  }

  /// How long its quota is spent; `nil` where it is not.
  func quotaWait(now: ContinuousClock.Instant) -> Duration? {
    guard let absence, absence.isOfQuota, now < absence.until else { return nil }
    return absence.until - now
  }

  /// Takes what an exchange means.
  ///
  /// - Parameters:
  ///   - verdict: What it means.
  ///   - question: What was asked.
  ///   - hasAnswer: Whether there is an answer for at least one address.
  ///   - now: This moment.
  ///   - wall: The same by the system's clock.
  /// - Returns: How the question goes on, and what is worth telling.
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

  /// Notes that the quota allows nothing for longer than is waited for.
  ///
  /// - Parameters:
  ///   - wait: For how long.
  ///   - now: This moment.
  ///   - wall: The same by the system's clock.
  /// - Returns: Why nothing is answered meanwhile, and whether that is news.
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
  /// The moment so much later; not a second too early where two fractions make a whole one.
  fileprivate func adding(_ wait: Duration) -> Timestamp {
    let rest = milliseconds - seconds * 1000 + Int64((wait / .milliseconds(1)).rounded(.up))
    return Timestamp(seconds: seconds + rest / 1000)
  }
}

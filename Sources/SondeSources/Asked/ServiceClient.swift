import SondeAddresses
import SondeAsking
import SondeProviders
import SondeReachability
import SondeRecords
import SondeStore
import SondeSystem
import SondeTransfer
import Synchronization

/// A question to a service about an address.
struct ServiceQuestion<Content: Sendable>: Sendable {
  var request: Request
  /// The number of the question; earlier ones are served first.
  let turn: UInt64
  /// Interprets a response at a time, in seconds since 1970 UTC.
  let read: @Sendable (Response, _ time: Int64) -> (content: Content, verdict: ExchangeVerdict)
  /// Whether it is still needed, checked directly before sending.
  let isWanted: @Sendable () async -> Bool
  /// Saves the answer before another question is sent, so that none is lost.
  let keep: @Sendable (Content) async -> Void
}

/// A service as a client knows it.
struct ServiceIdentity: Sendable {
  /// The name for people.
  let name: String
  /// The quota at the start.
  let quota: Quota
  /// Its row in the shared ledger; `nil` to keep the quota locally.
  let account: QuotaAccount?
  /// How its requests are counted.
  var kind = RequestBudget.Kind.service
}

/// Asks one service within its quota, with retries, and stops if it refuses.
final class ServiceClient<Content: Sendable>: Sendable {
  typealias Question = ServiceQuestion<Content>

  /// The result of a question.
  enum Answer {
    case answered(Content, Response)
    /// It was not needed any more.
    case unwanted
    case failed
    case networkLost
  }

  /// The result of a request.
  private enum Exchange {
    case answered(Content, Response)
    /// Nothing was sent or answered, through no fault of the service.
    case again(isFresh: Bool = false)
    /// There is no answer, but a retry, which is counted, may succeed.
    case retry(String, isThrottled: Bool)
    case failed(String)
    case networkLost(String)
  }

  /// The outcome of a request.
  private struct Result {
    let verdict: ExchangeVerdict
    let content: Content?
    let response: Response?
  }

  private struct State {
    var standing = ProviderStanding(form: .single)
    var hasGivenUp = false
    var hasToldBudget = false
  }

  private let service: ServiceIdentity
  private let paths: SourcePaths
  private let rules: AskingRules
  private let budget: RequestBudget
  private let gate: QuotaGate
  private let state = Mutex(State())
  private let report: EventHandler
  /// Rings when no more requests may be sent.
  private let halt = Bell()

  init(_ service: ServiceIdentity, over paths: SourcePaths, _ surroundings: SourceSurroundings) {
    (self.service, self.paths) = (service, paths)
    (rules, report, budget) = (surroundings.rules, surroundings.report, surroundings.budget)
    var waiting = rules
    // Interactive questions also wait for a window of a second.
    waiting.quotaPatience = max(waiting.quotaPatience, .seconds(5))
    gate = QuotaGate(quota: service.quota, ledger: service.account, waiting) {
      [report, name = service.name] wait, remaining in
      // Most waits last a second.
      guard wait > .seconds(2) else { return }
      report(.registryQuota(registry: name, wait: wait, remaining: remaining))
    }
  }

  /// Makes tasks that wait for the quota check their other conditions.
  func sendBack() { gate.sendBack() }

  func stop() {
    gate.close(.cancelled)
    halt.ring()
  }

  /// Whether it has refused, or its quota of a day or longer was spent.
  var hasRefused: Bool {
    state.withLock {
      $0.hasGivenUp || $0.standing.refusal != nil || $0.standing.hasSpentQuota
    }
  }

  /// Asks until there is an answer, or none can be expected; throws `CancellationError` only.
  func answer(to question: Question) async throws -> Answer {
    var (failures, isFresh) = (0, false)
    while true {
      switch try await exchange(question, isFresh: isFresh) {
      case .answered(let content, let response): return .answered(content, response)
      case .failed: return .failed
      case .networkLost: return .networkLost
      case .again(let wantsFresh):
        guard await question.isWanted() else { return .unwanted }
        isFresh = wantsFresh
      case .retry(let words, let isThrottled):
        failures += 1
        guard failures <= rules.retries else {
          if isThrottled { giveUp(words) }
          return .failed
        }
        try await pause(failures, words)
        isFresh = false
      }
    }
  }

  /// Waits before a retry, and reports it.
  private func pause(_ failures: Int, _ words: String) async throws {
    var generator = SystemRandomNumberGenerator()
    let delay = rules.backoff.delay(attempt: failures, using: &generator)
    report(.retry(provider: service.name, attempt: failures, wait: delay, message: words))
    try await halt.wait(after: 0, until: .now + delay)
    if halt.round > 0 { throw CancellationError() }
  }

  /// Sends one request as soon as that is permitted; a fresh one uses a new connection.
  private func exchange(_ question: Question, isFresh: Bool) async throws -> Exchange {
    if let reason = reasonNotToAsk { return .failed(reason) }
    let network = paths.gate(
      to: question.request.url,
      withSecret: !question.request.secretHeaders.isEmpty
    )
    if case .lost(let reason) = try await network?.pass(unless: { false }) {
      return .networkLost(reason)
    }
    let place = gate.enter(turn: question.turn)
    defer { gate.abandon(place) }
    let ticket: Quota.Ticket
    do {
      ticket = try await gate.acquire(place) { network?.isOpen ?? true }
    } catch let denial as PermitMachine.Denial {
      return exchange(after: denial)
    }
    // Read before checking the path, so that a loss in between abandons the request.
    let giveUps = paths.client.giveUps
    guard await question.isWanted(), network?.isOpen ?? true, !Task.isCancelled,
      budget.spend(service.kind)
    else {
      await gate.settle(ticket, .notSent)
      try Task.checkCancellation()
      return .again()
    }
    if budget.isSpent { gate.sendBack() }
    do {
      let result = try await send(question, isFresh: isFresh, after: giveUps)
      count(result)
      let step = judge(result.verdict, isFresh: isFresh, network)
      if let content = result.content { await question.keep(content) }
      await gate.settle(ticket, result.verdict.quota)
      if network == nil, result.verdict.path?.isLoss == true {
        return .networkLost(result.verdict.words)
      }
      return exchange(after: step, result)
    } catch {
      await gate.settle(ticket, .lost)
      throw error
    }
  }

  /// Why nothing may be requested, if so; a spent budget is reported once.
  private var reasonNotToAsk: String? {
    if let reason = state.withLock({ $0.standing.unavailability(now: .now) }) { return reason }
    guard budget.isSpent else { return nil }
    let isNews = state.withLock { state in
      defer { state.hasToldBudget = true }
      return !state.hasToldBudget
    }
    if isNews { report(.registry(service.name, .failing, message: budget.exhaustion)) }
    return budget.exhaustion
  }

  private func count(_ result: Result) {
    if !result.verdict.wasSent { budget.refund(service.kind) }
    if result.response?.status == 429 { budget.countThrottled(service.kind) }
  }

  private func exchange(after denial: PermitMachine.Denial) -> Exchange {
    switch denial {
    case .cancelled, .sentBack: return .again()
    case .refused(let refusal): return .failed("refused: \(refusal.message)")
    case .spent(let wait):
      let (message, news) = state.withLock {
        $0.standing.noteSpentQuota(for: wait, now: .now, wall: .now)
      }
      tell(news)
      return .failed(message)
    case .paused(let wait): return .failed("it wants to be left alone for \(wait.forPerson)")
    }
  }

  private func send(
    _ question: Question,
    isFresh: Bool,
    after giveUps: Int
  ) async throws -> Result {
    var request = question.request
    (request.timeout, request.connectTimeout) = (rules.timeout, rules.timeout)
    request.isFreshConnection = isFresh
    do {
      let response = try await paths.client.send(request, after: giveUps)
      let (content, verdict) = question.read(response, Timestamp.now.seconds)
      return Result(verdict: verdict, content: content, response: response)
    } catch let error as TransferError {
      return Result(verdict: ExchangeVerdict(error), content: nil, response: nil)
    }
  }

  /// Acts on the result of an exchange, and returns how the question continues.
  private func judge(
    _ verdict: ExchangeVerdict,
    isFresh: Bool,
    _ network: NetworkGate?
  ) -> ProviderStanding.Step {
    var question = ProviderStanding.Question(addresses: 1, form: .single)
    question.isFreshConnection = isFresh
    let (step, news) = state.withLock {
      $0.standing.take(verdict, of: question, hasAnswer: true, now: .now, wall: .now)
    }
    // First, so that no request is admitted after a refusal.
    switch verdict.meaning {
    case .refused: gate.close(.refused(Refusal(message: verdict.words)))
    case .retry, .throttled: gate.pause(for: verdict.pause)
    case .away: gate.sendBack()
    default: break
    }
    tell(news)
    if let path = verdict.path { network?.take(Finding(path)) }
    return step
  }

  private func exchange(after step: ProviderStanding.Step, _ result: Result) -> Exchange {
    let words = result.verdict.words
    switch step {
    case .done:
      guard let content = result.content, let response = result.response else { return .again() }
      return .answered(content, response)
    case .retry(isFree: true): return .again()
    case .again(let isFresh): return .again(isFresh: isFresh)
    case .retry(isFree: false): return .retry(words, isThrottled: result.response?.status == 429)
    case .failed(let message): return .failed(message)
    case .askOnceMore, .singly, .split: return .failed(words)
    }
  }

  /// Stops asking a service that repeatedly refused without stating a time, since clients that
  /// continue are blocked permanently.
  private func giveUp(_ words: String) {
    gate.close(.refused(Refusal(message: words)))
    state.withLock { $0.hasGivenUp = true }
    tell(.refused(words))
  }

  private func tell(_ news: ProviderStanding.News?) {
    switch news {
    case .failing(let message): report(.registry(service.name, .failing, message: message))
    case .answersAgain: report(.registry(service.name, .ok, message: "answers again"))
    case .refused(let message): report(.registry(service.name, .refused, message: message))
    case .takesNoBatches, nil: return
    }
  }
}

import Addresses
import Providers
import Reachability
import Records
import Store
import Synchronization
import Transfer

extension RemoteProvider {
  enum Attempt {
    case answers(Answers)
    /// Nothing was sent, for another process has asked for some of the addresses meanwhile.
    case known(CachedAnswers)
    /// May be tried again; a free try costs nothing, because the gate already waits.
    case fault(String, isFree: Bool, wait: Duration)
    case takesNoBatch
    /// Nothing came of it, through no fault of anybody's: the network was lost meanwhile.
    case again
    case failed(String)
    case networkLost(String)
  }

  func gate(_ form: RequestForm) -> QuotaGate {
    form == .batch ? batchGate : singleGate
  }

  /// Sends one request, when it may be sent.
  ///
  /// - Parameters:
  ///   - addresses: What to ask for.
  ///   - turn: The number of the question.
  ///   - view: What was in the cache when it knew none of them.
  /// - Returns: What came of it.
  /// - Throws: `CancellationError`, and nothing else.
  func attempt(
    _ addresses: [Address],
    turn: UInt64,
    newerThan view: StoreView?
  ) async throws -> Attempt {
    let form = form
    if form == .single, addresses.count > 1 { return .takesNoBatch }
    // Before the wait for a quota that is not to be used.
    guard !budget.isSpent else { return .failed("\(api.source.name): \(budget.exhaustion)") }
    let gate = gate(form)
    let place = gate.enter(turn: turn)
    defer { gate.leave(place) }
    beginWatching()
    if let network, case .lost(let reason) = try await network.pass(unless: hasOtherWay) {
      return .networkLost(reason)
    }
    let ticket: Quota.Ticket
    do {
      ticket = try await gate.acquire(place) { isReachable }
    } catch let refusal as Refusal {
      refuse(refusal.message)
      return .failed("\(api.source.name): \(refusal.message)")
    } catch is SentBack {
      return .again
    }
    if let known = await cache?.lookUp(addresses, newerThan: rules.mayAskTwice ? nil : view),
      !known.positions.isEmpty
    {
      await gate.settle(ticket, .notSent)
      return .known(known)
    }
    // Read before looking, so that a loss in between gives up the request although it comes late.
    let giveUps = client.giveUps
    guard isReachable else {
      await gate.settle(ticket, .notSent)
      return .again
    }
    guard budget.take() else {
      await gate.settle(ticket, .notSent)
      return .failed("\(api.source.name): \(budget.exhaustion)")
    }
    if budget.isSpent { sendBackAll() }
    announceFirstQuestion()
    var request = api.request(for: addresses, form: form)
    request.timeout = rules.timeout
    request.connectTimeout = rules.timeout
    do {
      let response = try await client.send(request, after: giveUps)
      let notice = api.notice(of: response)
      if response.status == 429 { budget.countThrottled() }
      // Judged first: nobody is to be let out behind a refusal.
      let attempt = judge(response, notice, for: addresses, form: form)
      if !response.looksLikeLoginPage {
        network?.take(response.status == 200 ? .answered : .provedOpen)
      }
      // On disk before the next request may go out: what was paid for is never lost.
      if case .answers(let answers) = attempt { await cache?.save(answers.block) }
      // What answers in the provider's place says nothing of the quota.
      await gate.settle(ticket, response.looksLikeLoginPage ? .notSent : .answered(notice))
      return attempt
    } catch let error as TransferError {
      await gate.settle(ticket, error.isBeforeRequest ? .notSent : .lost)
      if error.isBeforeRequest { budget.giveBack() }
      return judge(error)
    } catch {
      await gate.settle(ticket, .lost)
      throw error
    }
  }

  /// Those who wait for a quota, here or at another provider, are to see that all is spent.
  private func sendBackAll() {
    for provider in alternatives.withLock({ $0 }) + [self] {
      provider.batchGate.sendBack()
      provider.singleGate.sendBack()
    }
  }

  private func announceFirstQuestion() {
    let isFirst = state.withLock { state in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    guard isFirst else { return }
    report(.firstQuestion(provider: api.source, host: api.base.authority, isFree: api.isFree))
  }

  private func judge(
    _ response: Response,
    _ notice: QuotaNotice,
    for addresses: [Address],
    form: RequestForm
  ) -> Attempt {
    let now = Timestamp.now.seconds
    switch api.read(response, for: addresses, form: form, time: now) {
    case .answers(let answers):
      if answers.missing.count < addresses.count { succeed() }
      return .answers(answers)
    case .throttled:
      let isTold = notice.retryAfter ?? notice.resetsIn != nil
      let wait = max(notice.retryAfter ?? notice.resetsIn ?? .zero, .seconds(1))
      return .fault("too many requests", isFree: isTold && mayWaitAgain(), wait: wait)
    case .fault(let message):
      fail(message)
      return .fault(message, isFree: false, wait: notice.retryAfter ?? .zero)
    case .refused(let message):
      refuse(message)
      return .failed("\(api.source.name) refused: \(message)")
    case .takesNoBatch:
      state.withLock { $0.form = .single }
      return .takesNoBatch
    case .loginPage:
      guard let network else {
        return .networkLost("a login page answered in place of \(api.base.authority)")
      }
      network.take(.loginPage)
      return .again
    }
  }

  private func judge(_ error: TransferError) -> Attempt {
    if let finding = error.finding { network?.take(finding) }
    switch error.reason {
    case .givenUp: return .again
    case .misconfigured: return .failed(error.description)
    default: break
    }
    if error.isNetworkLoss { return network == nil ? .networkLost(error.description) : .again }
    fail(error.description)
    return .fault(error.description, isFree: false, wait: .zero)
  }

  /// Whether another web API of the list can be asked while this one's way is closed.
  private func hasOtherWay() -> Bool {
    alternatives.withLock { $0 }.contains(where: \.isWorthAsking)
  }

  /// A 429 that says how long to wait costs no try, but not for ever.
  private func mayWaitAgain() -> Bool {
    state.withLock { state in
      state.faultsInARow += 1
      return state.faultsInARow < 20
    }
  }

  private func succeed() {
    let wasFailing = state.withLock { state in
      defer { state.isFailing = false }
      state.faultsInARow = 0
      return state.isFailing
    }
    if wasFailing { report(.provider(api.source, .ok, message: "answers again")) }
  }

  private func fail(_ message: String) {
    let isNews = state.withLock { state in
      defer { state.isFailing = true }
      state.faultsInARow += 1
      return !state.isFailing
    }
    if isNews { report(.provider(api.source, .failing, message: message)) }
  }

  private func refuse(_ message: String) {
    let isNews = state.withLock { state in
      guard state.refusal == nil else { return false }
      state.refusal = Refusal(message: message)
      return true
    }
    guard isNews else { return }
    let refusal = Refusal(message: "refused: \(message)")
    batchGate.refuse(refusal)
    singleGate.refuse(refusal)
    report(.provider(api.source, .refused, message: message))
  }
}

extension TransferError {
  /// Whether it happened before anything of the request was sent.
  var isBeforeRequest: Bool {
    switch reason {
    case .givenUp:
      switch phase {
      case .preparing, .resolving, .connecting, .securing: true
      case .waiting, .receiving: false
      }
    case .couldNotResolve, .connectTimedOut, .connectionRefused, .noRoute, .connectionFailed,
      .tls, .misconfigured:
      true
    case .timedOut, .connectionLost, .bodyTooLarge, .malformedAnswer, .cancelled: false
    }
  }
}

extension TransferError {
  /// What it tells about the way; `nil` for what tells nothing.
  var finding: Finding? {
    switch reason {
    case .couldNotResolve: .notResolved
    case .connectTimedOut: .timedOut
    case .noRoute: .noRoute
    default: provesWayOpen ? .provedOpen : nil
    }
  }
}

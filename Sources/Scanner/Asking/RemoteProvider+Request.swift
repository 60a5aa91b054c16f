import Addresses
import Providers
import Records
import Synchronization
import Transfer

extension RemoteProvider {
  enum Attempt {
    case answers(Answers)
    /// May be tried again; a free try costs nothing, because the gate already waits.
    case fault(String, isFree: Bool, wait: Duration)
    case takesNoBatch
    case failed(String)
    case networkLost(String)
  }

  func gate(_ form: RequestForm) -> QuotaGate {
    form == .batch ? batchGate : singleGate
  }

  func attempt(_ addresses: [Address]) async throws -> Attempt {
    let form = form
    if form == .single, addresses.count > 1 { return .takesNoBatch }
    if let loss = state.withLock({ $0.rememberedLoss }) { return .networkLost(loss) }
    let gate = gate(form)
    let ticket: Quota.Ticket
    do {
      ticket = try await gate.acquire()
    } catch let refusal as Refusal {
      refuse(refusal.message)
      return .failed("\(api.source.name): \(refusal.message)")
    }
    guard budget.take() else {
      gate.settle(ticket, .notSent)
      return .failed("\(api.source.name): \(budget.exhaustion)")
    }
    announceFirstQuestion()
    var request = api.request(for: addresses, form: form)
    request.timeout = rules.timeout
    request.connectTimeout = rules.timeout
    request.isFreshConnection = state.withLock { $0.takeFreshConnection() }
    do {
      let response = try await client.send(request)
      let notice = api.notice(of: response)
      if response.status == 429 { budget.countThrottled() }
      // Judged first: nobody is to be let out behind a refusal.
      let attempt = judge(response, notice, for: addresses, form: form)
      gate.settle(ticket, .answered(notice))
      return attempt
    } catch let error as TransferError {
      gate.settle(ticket, error.isBeforeRequest ? .notSent : .lost)
      return judge(error)
    } catch {
      gate.settle(ticket, .lost)
      throw error
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
      return lose("a login page answered in place of \(api.base.authority)")
    }
  }

  private func judge(_ error: TransferError) -> Attempt {
    if error.isNetworkLoss { return lose(error.description) }
    if case .misconfigured = error.reason { return .failed(error.description) }
    fail(error.description)
    return .fault(error.description, isFree: false, wait: .zero)
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
      defer {
        state.isFailing = false
        state.lossUntil = nil
      }
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

  private func lose(_ reason: String) -> Attempt {
    state.withLock { state in
      state.lossReason = reason
      state.lossUntil = .now + Self.lossMemory
      state.needsFreshConnection = true
    }
    return .networkLost(reason)
  }
}

extension RemoteProvider.State {
  var rememberedLoss: String? {
    guard let lossUntil, ContinuousClock.now < lossUntil else { return nil }
    return lossReason
  }

  /// After a loss, pooled connections may be dead without knowing.
  mutating func takeFreshConnection() -> Bool {
    defer { needsFreshConnection = false }
    return needsFreshConnection
  }
}

extension TransferError {
  /// Whether it happened before anything of the request was sent.
  var isBeforeRequest: Bool {
    switch reason {
    case .couldNotResolve, .connectTimedOut, .connectionRefused, .noRoute, .connectionFailed,
      .tls, .misconfigured:
      true
    case .timedOut, .connectionLost, .bodyTooLarge, .malformedAnswer, .cancelled: false
    }
  }
}

import SondeAddresses
import SondeProviders
import SondeRecords
import SondeStore
import SondeSystem
import SondeTransfer
import Synchronization

extension RemoteProvider {
  enum Attempt {
    case answers(Answers)
    /// Nothing was sent, because another process has requested some of the addresses meanwhile.
    case known(KnownAnswers)
    /// Nothing was sent; no fault occurred.
    case again
    case networkLost(String)
    /// There is no answer, with the next step, the reason and the wait that the provider requires.
    case unanswered(ProviderStanding.Step, String = "", wait: Duration = .zero)
  }

  func gate(_ form: RequestForm) -> QuotaGate { form == .batch ? batchGate : singleGate }

  /// Sends one request, as soon as that is permitted; throws `CancellationError` only.
  func attempt(
    _ request: PendingRequest,
    turn: UInt64,
    newerThan view: StoreView?,
    isFresh: Bool
  ) async throws -> Attempt {
    let (form, addresses) = (form, request.addresses)
    if form == .single, addresses.count > 1 { return .unanswered(.singly) }
    let ticket: Quota.Ticket
    switch try await waitForPermit(form, turn: turn) {
    case .given(let permit): ticket = permit
    case .denied(let attempt): return attempt
    }
    // Another process may have asked meanwhile, or this one if addresses may repeat.
    if !isFresh, let cache, await cache.mayHaveNews(since: rules.mayAskTwice ? nil : view),
      case let known = await cache.lookUp(addresses), !known.positions.isEmpty
    {
      await gate(form).settle(ticket, .notSent)
      return .known(known)
    }
    // Read before checking the path, so that a loss in between abandons the request.
    let giveUps = client.giveUps
    guard maySendNow() else {
      await gate(form).settle(ticket, .notSent)
      try Task.checkCancellation()
      // The next attempt finds the reason.
      return .again
    }
    let question = question(for: request, form)
    do {
      let (verdict, answers) = try await exchange(question, addresses, after: giveUps)
      return await conclude(verdict, answers, of: question, ticket)
    } catch {
      await gate(form).settle(ticket, .lost)
      throw error
    }
  }

  /// The result of waiting for a permit.
  private enum Permission {
    case given(Quota.Ticket)
    /// Denied, with the consequence for the request.
    case denied(Attempt)
  }

  /// Waits for the path, and then for the quota, earlier look-ups first.
  private func waitForPermit(_ form: RequestForm, turn: UInt64) async throws -> Permission {
    // Checked first, since waiting for the quota would be useless.
    if let reason = reasonNotToAsk { return .denied(.unanswered(.failed(reason))) }
    let gate = gate(form)
    let place = gate.enter(turn: turn)
    defer { gate.abandon(place) }
    beginWatching()
    if let network, case .lost(let reason) = try await network.pass(unless: hasOtherPath) {
      return .denied(.networkLost(reason))
    }
    do {
      return .given(try await gate.acquire(place) { isReachable })
    } catch let denial as PermitMachine.Denial {
      return .denied(attempt(after: denial))
    }
  }

  /// Why nothing may be requested, if so.
  private var reasonNotToAsk: String? {
    budget.isSpent ? budget.exhaustion : state.withLock { $0.standing.unavailability(now: .now) }
  }

  private func attempt(after denial: PermitMachine.Denial) -> Attempt {
    switch denial {
    case .cancelled, .sentBack: return .again
    case .refused(let refusal): return .unanswered(.failed("refused: \(refusal.message)"))
    case .spent(let wait):
      let (message, news) = state.withLock {
        $0.standing.noteSpentQuota(for: wait, now: .now, wall: .now)
      }
      tell(news)
      return .unanswered(.failed(message))
    case .paused(let wait):
      return .unanswered(.failed("it wants to be left alone for \(wait.forPerson)"))
    }
  }

  /// Whether the request may still be sent after the wait; if so, it is counted.
  private func maySendNow() -> Bool {
    guard isReachable, !Task.isCancelled, isAvailable, budget.spend() else { return false }
    if budget.isSpent { sendBackAll() }
    announceFirstQuestion()
    return true
  }

  private func question(
    for request: PendingRequest,
    _ form: RequestForm
  ) -> ProviderStanding.Question {
    var question = ProviderStanding.Question(addresses: request.addresses.count, form: form)
    question.isFreshConnection = request.needsFreshConnection
    question.isSecondLook = request.missedBatches || state.withLock { $0.standing.missesBatches }
    return question
  }

  /// Makes one exchange; returns its result and any answers, and throws `CancellationError` only.
  private func exchange(
    _ question: ProviderStanding.Question,
    _ addresses: [Address],
    after giveUps: Int
  ) async throws -> (ExchangeVerdict, Answers?) {
    var request = api.request(for: addresses, form: question.form)
    (request.timeout, request.connectTimeout) = (rules.timeout, rules.timeout)
    request.isFreshConnection = question.isFreshConnection
    do {
      let response = try await client.send(request, after: giveUps)
      if response.status == 429 { budget.countThrottled() }
      let time = Timestamp.now.seconds
      let reading = api.read(response, for: addresses, form: question.form, time: time)
      let verdict = ExchangeVerdict(response, reading, form: question.form)
      guard verdict.meaning == .answered, case .answers(let answers) = reading.content else {
        return (verdict, nil)
      }
      return (verdict, answers)
    } catch let error as TransferError {
      return (ExchangeVerdict(error), nil)
    }
  }

  /// Makes all tasks that wait for a quota, here or at another provider, check the spent budget.
  private func sendBackAll() {
    for provider in others + [self] { provider.sendBack() }
  }

  private func announceFirstQuestion() {
    let isFirst = state.withLock { state in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    guard isFirst else { return }
    report(
      .firstQuestion(provider: api.source, host: api.base.authority, isCautionDue: api.isCautionDue)
    )
  }
}

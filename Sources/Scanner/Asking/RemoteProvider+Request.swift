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
    case known(KnownAnswers)
    /// Nothing was sent, through no fault of anybody's.
    case again
    case networkLost(String)
    /// There is no answer, and why, and how long the provider wants to be left alone.
    case unanswered(ProviderStanding.Step, String = "", wait: Duration = .zero)
  }

  func gate(_ form: RequestForm) -> QuotaGate {
    form == .batch ? batchGate : singleGate
  }

  /// Sends one request, when it may be sent.
  ///
  /// - Parameters:
  ///   - request: What to ask for, and what came of it before.
  ///   - addresses: Its addresses.
  ///   - turn: The number of the look-up.
  ///   - view: What was in the cache when it knew none of them.
  /// - Returns: What came of it.
  /// - Throws: `CancellationError`, and nothing else.
  func attempt(
    _ request: PendingRequest,
    _ addresses: [Address],
    turn: UInt64,
    newerThan view: StoreView?
  ) async throws -> Attempt {
    let form = form
    if form == .single, addresses.count > 1 { return .unanswered(.singly) }
    // Before the wait for a quota that is not to be used.
    if let reason = reasonNotToAsk { return .unanswered(.failed(reason)) }
    let gate = gate(form)
    let place = gate.enter(turn: turn)
    defer { gate.abandon(place) }
    beginWatching()
    if let network, case .lost(let reason) = try await network.pass(unless: hasOtherPath) {
      return .networkLost(reason)
    }
    let ticket: Quota.Ticket
    do {
      ticket = try await gate.acquire(place) { isReachable }
    } catch let denial as PermitMachine.Denial {
      return attempt(after: denial)
    }
    if let known = await cache?.lookUp(addresses, newerThan: rules.mayAskTwice ? nil : view),
      !known.positions.isEmpty
    {
      await gate.settle(ticket, .notSent)
      return .known(known)
    }
    var question = ProviderStanding.Question(addresses: addresses.count, form: form)
    question.isFreshConnection = request.needsFreshConnection
    question.isSecondLook = request.missedBatches || state.withLock { $0.standing.missesBatches }
    return try await send(question, addresses, ticket)
  }

  /// Why nothing is to be asked, if that is so.
  private var reasonNotToAsk: String? {
    budget.isSpent
      ? budget.exhaustion : state.withLock { $0.standing.unavailability(now: .now) }
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
    }
  }

  /// Sends what there is a permit for, if it still may be sent.
  private func send(
    _ question: ProviderStanding.Question,
    _ addresses: [Address],
    _ ticket: Quota.Ticket
  ) async throws -> Attempt {
    let gate = gate(question.form)
    // Read before looking, so that a loss in between gives up the request although it comes late.
    let giveUps = client.giveUps
    let isOpen = isReachable
    guard isOpen, !Task.isCancelled, isAvailable, budget.spend() else {
      await gate.settle(ticket, .notSent)
      try Task.checkCancellation()
      // The next attempt finds out why.
      return .again
    }
    if budget.isSpent { sendBackAll() }
    announceFirstQuestion()
    do {
      let (verdict, answers) = try await exchange(question, addresses, after: giveUps)
      return await conclude(verdict, answers, of: question, ticket)
    } catch {
      await gate.settle(ticket, .lost)
      throw error
    }
  }

  /// Makes one exchange.
  ///
  /// - Returns: What it means, and the answers if there are any.
  /// - Throws: `CancellationError`, and nothing else.
  private func exchange(
    _ question: ProviderStanding.Question,
    _ addresses: [Address],
    after giveUps: Int
  ) async throws -> (ExchangeVerdict, Answers?) {
    var request = api.request(for: addresses, form: question.form)
    request.timeout = rules.timeout
    request.connectTimeout = rules.timeout
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

  /// Acts on what an exchange means.
  private func conclude(
    _ verdict: ExchangeVerdict,
    _ answers: Answers?,
    of question: ProviderStanding.Question,
    _ ticket: Quota.Ticket
  ) async -> Attempt {
    if !verdict.wasSent { budget.refund() }
    let hasAnswer = answers.map { $0.missing.count < question.addresses } ?? false
    let (step, news) = state.withLock {
      $0.standing.take(verdict, of: question, hasAnswer: hasAnswer, now: .now, wall: .now)
    }
    // First of all: nobody is to be let out behind a refusal.
    switch verdict.meaning {
    case .refused:
      for gate in [batchGate, singleGate] { gate.close(.refused(Refusal(message: verdict.words))) }
    case .retry where verdict.wait > .zero:
      for gate in [batchGate, singleGate] { gate.pause(for: verdict.wait) }
    case .away: sendBack()
    default: break
    }
    tell(news)
    if let path = verdict.path { network?.take(Finding(path)) }
    // On disk before the next request may go out: what was paid for is never lost.
    if let answers { await cache?.save(answers.block) }
    await gate(question.form).settle(ticket, verdict.quota)
    if let answers { return .answers(answers) }
    if network == nil, verdict.path?.isLoss == true { return .networkLost(lossWords(verdict)) }
    return .unanswered(step, verdict.words, wait: verdict.wait)
  }

  /// What a record says that was lost where nothing watches the path.
  private func lossWords(_ verdict: ExchangeVerdict) -> String {
    verdict.path == .loginPage
      ? "\(verdict.words) in place of \(api.base.authority)" : verdict.words
  }

  /// Those who wait for a quota, here or at another provider, are to see that all is spent.
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
      .firstQuestion(
        provider: api.source,
        host: api.base.authority,
        isCautionDue: api.isCautionDue
      )
    )
  }

  /// Whether another web API of the list can be asked while this one's path is closed.
  private func hasOtherPath() -> Bool { others.contains(where: \.isWorthAsking) }

  private func tell(_ news: ProviderStanding.News?) {
    switch news {
    case .failing(let message): report(.provider(api.source, .failing, message: message))
    case .answersAgain: report(.provider(api.source, .ok, message: "answers again"))
    case .refused(let message): report(.provider(api.source, .refused, message: message))
    case .takesNoBatches(let words): report(.takesNoBatches(provider: api.source, message: words))
    case nil: return
    }
  }
}

extension Finding {
  /// What an exchange tells about the path.
  init(_ evidence: PathEvidence) {
    self =
      switch evidence {
      case .answered: .answered
      case .open: .provedOpen
      case .notResolved: .notResolved
      case .timedOut: .timedOut
      case .noRoute: .noRoute
      case .notPermitted: .notPermitted
      case .loginPage: .loginPage
      }
  }
}

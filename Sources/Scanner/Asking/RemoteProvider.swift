public import Addresses
public import Providers
public import Records
import Synchronization
public import Transfer

/// How a remote provider is asked.
public struct AskingRules: Sendable {
  /// The time for one request.
  public var timeout = Duration.seconds(10)
  /// Tries after the first one.
  public var retries = 4
  /// Requests under way at once.
  public var concurrency = 8
  /// Replaces the provider's published quota.
  public var rate: Allowance?
  /// The wait between tries.
  public var backoff = Backoff()

  /// Makes the default rules.
  public init() {}
}

/// Asks one web API within its quota, and again where that may help.
///
/// Every address asked comes back as exactly one record, whatever the provider does.
public final class RemoteProvider: Sendable {
  /// How long after a loss of the network nothing is tried.
  private static let lossMemory = Duration.seconds(5)
  /// Faults in a row, beyond a batch's own tries, after which a batch is not taken apart any more:
  /// then it is not the batch.
  private static let faultsOfADownProvider = 8

  fileprivate struct State {
    var form: RequestForm
    var refusal: Refusal?
    var isFailing = false
    var faultsInARow = 0
    var lossReason = ""
    var lossUntil: ContinuousClock.Instant?
    var needsFreshConnection = false
    var isAsked = false
  }

  let api: any RemoteAPI
  private let client: HTTPClient
  private let rules: AskingRules
  private let budget: RequestBudget
  private let report: EventHandler
  private let batchGate: QuotaGate
  private let singleGate: QuotaGate
  private let state: Mutex<State>

  /// - Parameters:
  ///   - budget: Counts the requests of all providers of a run.
  ///   - report: Told of waits, retries and changes of the provider's state.
  public init(
    _ api: some RemoteAPI,
    client: HTTPClient,
    rules: AskingRules,
    budget: RequestBudget,
    report: @escaping EventHandler
  ) {
    self.api = api
    self.client = client
    self.rules = rules
    self.budget = budget
    self.report = report
    let source = api.source
    func gate(_ form: RequestForm) -> QuotaGate {
      QuotaGate(
        allowance: rules.rate ?? api.allowance(of: form),
        concurrency: rules.concurrency
      ) { report(.quota(provider: source, wait: $0, remaining: $1)) }
    }
    batchGate = gate(.batch)
    singleGate = gate(.single)
    state = Mutex(State(form: api.limit(of: .batch) > 0 ? .batch : .single))
  }

  /// The most addresses that one request takes at the moment.
  public var batchLimit: Int { api.limit(of: form) }

  /// The form in which it is asked at the moment.
  public var form: RequestForm { state.withLock { $0.form } }

  /// Why the provider is not asked any more, if that is so.
  public var refusal: String? { state.withLock { $0.refusal?.message } }

  /// Requests that the quota allows at the moment; `nil` where there is no window.
  public var remaining: Int? { gate(form).remaining }

  /// Asks for addresses.
  ///
  /// - Returns: A record for each, in that order: ``Status/ok``, ``Status/unknown``,
  ///   ``Status/failed`` or ``Status/networkLost``, the last three with a message.
  /// - Throws: `CancellationError`, and nothing else.
  public func lookUp(_ addresses: [Address]) async throws -> RecordBlock {
    var assembly = AnswerAssembly(addresses)
    var parts = slices(of: Array(addresses.indices), limit: api.limit(of: form))
    if parts.count == 1 {
      try await ask(parts[0], &assembly)
    } else {
      try await askSingly(&parts, &assembly)
    }
    return assembly.block
  }

  private func slices(of positions: [Int], limit: Int) -> [Part] {
    stride(from: 0, to: positions.count, by: max(1, limit)).map { start in
      let end = min(start + max(1, limit), positions.count)
      return Part(positions: Array(positions[start..<end]), limit: rules.retries)
    }
  }

  /// Asks for several parts side by side; the gate bounds how many requests are under way.
  private func askSingly(_ parts: inout [Part], _ assembly: inout AnswerAssembly) async throws {
    try await withThrowingTaskGroup(of: (Part, RecordBlock).self) { group in
      for part in parts {
        let addresses = assembly.addresses(of: part)
        group.addTask {
          var inner = AnswerAssembly(addresses)
          let whole = Part(positions: Array(addresses.indices), limit: part.limit)
          try await self.ask(whole, &inner)
          return (part, inner.block)
        }
      }
      for try await (part, block) in group {
        assembly.put(Answers(block: block, missing: []), for: part)
      }
    }
  }
}

// MARK: - Trying again

extension RemoteProvider {
  /// Asks for a part until every address in it is settled.
  private func ask(_ part: Part, _ assembly: inout AnswerAssembly) async throws {
    var queue = [part]
    while !queue.isEmpty {
      var part = queue.removeFirst()
      switch try await attempt(assembly.addresses(of: part)) {
      case .answers(let answers):
        assembly.put(answers, for: part)
        guard !answers.missing.isEmpty else { continue }
        let isStuck = answers.missing.count == part.positions.count
        part.positions = answers.missing.map { part.positions[$0] }
        try await retry(&part, "the answer has no entry for it", isStuck, &queue, &assembly)
      case .fault(let message, let isFree, let wait):
        if isFree {
          queue.insert(part, at: 0)
        } else {
          try await retry(&part, message, true, &queue, &assembly, atLeast: wait)
        }
      case .takesNoBatch:
        var singles = slices(of: part.positions, limit: 1)
        try await askSingly(&singles, &assembly)
      case .failed(let message):
        assembly.settle(part, as: .failed, message)
      case .networkLost(let message):
        assembly.settle(part, as: .networkLost, message)
      }
    }
  }

  /// Puts a part back for another try, takes it apart, or gives it up.
  private func retry(
    _ part: inout Part,
    _ message: String,
    _ maySplit: Bool,
    _ queue: inout [Part],
    _ assembly: inout AnswerAssembly,
    atLeast wait: Duration = .zero
  ) async throws {
    part.failures += 1
    if part.failures <= part.limit {
      var generator = SystemRandomNumberGenerator()
      let delay = max(wait, rules.backoff.delay(attempt: part.failures, using: &generator))
      report(
        .retry(provider: api.source, attempt: part.failures, wait: delay, message: message)
      )
      try await ContinuousClock().sleep(for: delay)
      queue.insert(part, at: 0)
    } else if maySplit, part.positions.count > 1, isWorthSplitting {
      queue += part.halves
    } else {
      let tries = part.failures == 1 ? "" : " (\(part.failures) attempts)"
      assembly.settle(part, as: .failed, "\(api.source.name): \(message)\(tries)")
    }
  }

  private var isWorthSplitting: Bool {
    state.withLock { $0.faultsInARow <= rules.retries + 1 + Self.faultsOfADownProvider }
  }
}

// MARK: - One request

extension RemoteProvider {
  private enum Attempt {
    case answers(Answers)
    /// May be tried again; a free try costs nothing, because the gate already waits.
    case fault(String, isFree: Bool, wait: Duration)
    case takesNoBatch
    case failed(String)
    case networkLost(String)
  }

  private func gate(_ form: RequestForm) -> QuotaGate {
    form == .batch ? batchGate : singleGate
  }

  private func attempt(_ addresses: [Address]) async throws -> Attempt {
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
      gate.settle(ticket, .answered(notice))
      if response.status == 429 { budget.countThrottled() }
      return judge(response, notice, for: addresses, form: form)
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
  fileprivate var rememberedLoss: String? {
    guard let lossUntil, ContinuousClock.now < lossUntil else { return nil }
    return lossReason
  }

  /// After a loss, pooled connections may be dead without knowing.
  fileprivate mutating func takeFreshConnection() -> Bool {
    defer { needsFreshConnection = false }
    return needsFreshConnection
  }
}

/// Counts the requests of a run, and ends them at `--max-requests`.
public final class RequestBudget: Sendable {
  private let limit: Int?
  private let counts = Mutex((sent: 0, throttled: 0))

  /// - Parameter limit: The most requests; `nil` is without end.
  public init(limit: Int?) { self.limit = limit }

  /// Requests sent.
  public var sent: Int { counts.withLock { $0.sent } }

  /// Requests answered with 429.
  public var throttled: Int { counts.withLock { $0.throttled } }

  var exhaustion: String { "stopped after \(limit ?? 0) requests (--max-requests)" }

  func take() -> Bool {
    counts.withLock { counts in
      guard counts.sent < limit ?? .max else { return false }
      counts.sent += 1
      return true
    }
  }

  func countThrottled() { counts.withLock { $0.throttled += 1 } }
}

extension TransferError {
  /// Whether it happened before anything of the request was sent.
  fileprivate var isBeforeRequest: Bool {
    switch reason {
    case .couldNotResolve, .connectTimedOut, .connectionRefused, .noRoute, .connectionFailed,
      .tls, .misconfigured:
      true
    case .timedOut, .connectionLost, .bodyTooLarge, .malformedAnswer, .cancelled: false
    }
  }
}

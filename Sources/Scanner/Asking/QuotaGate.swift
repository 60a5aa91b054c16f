import Providers
import Records
import Synchronization

/// Why a provider is not asked any more in this run.
struct Refusal: Error, Equatable {
  let message: String
}

/// Thrown at those who wait for leave while the network is lost: they are to wait for that first.
struct SentBack: Error {}

/// Lets requests out as the quota and the concurrency allow, those of the earlier question first.
///
/// The quota is the one of the ledger, if there is one; what is kept here is a copy of it then.
final class QuotaGate: Sendable {
  /// A wait longer than this is not waited for: the quota of the day is spent.
  private static let longestWait = Duration.seconds(3600)
  /// How often to look what became of the requests of other processes.
  private static let lookAgain = Duration.milliseconds(50)

  private typealias Change =
    @Sendable (inout SharedQuota, _ holder: UInt64, _ now: Duration) -> Void

  typealias Leave = CheckedContinuation<Quota.Ticket, any Error>

  private struct Waiter {
    let id: UInt64
    let turn: UInt64
    /// Set while somebody waits here for leave.
    var continuation: Leave?
  }

  private struct State {
    var quota: SharedQuota
    /// Whether the quota has been asked for in the ledger, if there is one.
    var isKnown: Bool
    /// Whether the ledger is being asked for leave.
    var isAsking = false
    /// Whether it gave none; it is asked again when the alarm rings or an answer is in.
    var isDenied = false
    /// Counts what has become of the quota since the start.
    var changes: UInt64 = 0
    /// Tickets out that nobody counts, because there is no limit.
    var uncounted: [Quota.Ticket] = []
    /// What became of tickets while the ledger could not be written; it is to be told.
    var owed: [Change] = []
    var underWay = 0
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0
    var alarm: (at: Duration, task: Task<Void, Never>)?
    var announced: Duration?
    var refusal: Refusal?
  }

  private let state: Mutex<State>
  private let start: Quota
  private let ledger: QuotaLedger?
  private let concurrency: Int
  private let announce: @Sendable (_ wait: Duration, _ remaining: Int) -> Void

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - quota: What is known of the quota at the start.
  ///   - ledger: Where it is shared with other processes; `nil` where it is not.
  ///   - concurrency: Requests under way at once.
  ///   - announce: Told once for every time that nothing may be sent.
  init(
    quota: Quota,
    ledger: QuotaLedger? = nil,
    concurrency: Int,
    announce: @escaping @Sendable (_ wait: Duration, _ remaining: Int) -> Void
  ) {
    let alone = SharedQuota(start: quota)
    state = Mutex(State(quota: alone, isKnown: ledger == nil))
    start = quota
    self.ledger = ledger
    self.concurrency = concurrency
    self.announce = announce
  }

  /// Requests that the quota allows at the moment; `nil` where there is no window.
  var remaining: Int? { state.withLock { $0.quota.quota.remaining } }

  /// Takes a place in the queue, before those of later questions.
  ///
  /// Nobody behind it is let out until it is used or left, so that the earlier question is asked
  /// first even if both wait for the network before this.
  /// - Parameter turn: The number of the question.
  /// - Returns: The place.
  func enter(turn: UInt64) -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      let place = state.waiters.lastIndex { $0.turn <= turn }.map { $0 + 1 } ?? 0
      state.waiters.insert(Waiter(id: state.lastID, turn: turn), at: place)
      return state.lastID
    }
  }

  /// Leaves a place that is not used after all.
  func leave(_ id: UInt64) {
    let isLeft = state.withLock { state in
      guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return false }
      state.waiters.remove(at: place)
      return true
    }
    if isLeft { letOut() }
  }

  /// Waits for leave to send one request.
  ///
  /// - Parameters:
  ///   - id: The place taken with ``enter(turn:)``.
  ///   - isOpen: Whether the way to the provider is.
  /// - Returns: What to give back with ``settle(_:_:)``.
  /// - Throws: ``Refusal`` when the provider is not to be asked again, ``SentBack``, or
  ///   `CancellationError`.
  func acquire(_ id: UInt64, while isOpen: () -> Bool) async throws -> Quota.Ticket {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isQueued = state.withLock { state in
          guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return false }
          state.waiters[place].continuation = continuation
          return true
        }
        guard isQueued else { return continuation.resume(throwing: SentBack()) }
        if Task.isCancelled { dismiss(id, CancellationError()) }
        // Looked at after queueing, so that a loss meanwhile is not missed.
        if !isOpen() { dismiss(id, SentBack()) }
        letOut()
      }
    } onCancel: {
      dismiss(id, CancellationError())
    }
  }

  /// Sends everybody back who waits, for the network is lost.
  func sendBack() {
    let waiters = state.withLock { state in
      let waiters = state.waiters.filter { $0.continuation != nil }
      state.waiters.removeAll { $0.continuation != nil }
      return waiters
    }
    for waiter in waiters { waiter.continuation?.resume(throwing: SentBack()) }
  }

  /// Sends everybody away who waits, and everybody who comes.
  func refuse(_ refusal: Refusal) {
    state.withLock { $0.refusal = refusal }
    letOut()
  }

  private func dismiss(_ id: UInt64, _ error: any Error) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.id == id && $0.continuation != nil }
        .map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation?.resume(throwing: error)
  }
}

// MARK: - Giving leave

extension QuotaGate {
  private enum Step {
    case resume(Leave, Result<Quota.Ticket, Refusal>)
    case announce(Duration, remaining: Int)
    case askLedger(tickets: Int)
    case rest
  }

  private func letOut() {
    while true {
      let step = state.withLock { nextStep(&$0) }
      if case .rest = step { return }
      take(step)
    }
  }

  private func take(_ step: Step) {
    switch step {
    case .resume(let waiter, .success(let ticket)): waiter.resume(returning: ticket)
    case .resume(let waiter, .failure(let error)): waiter.resume(throwing: error)
    case .announce(let wait, let remaining): announce(wait, remaining)
    case .askLedger(let tickets): Task { await askLedger(for: tickets) }
    case .rest: break
    }
  }

  private func nextStep(_ state: inout State) -> Step {
    if let refusal = state.refusal {
      guard let place = state.waiters.firstIndex(where: { $0.continuation != nil }),
        let waiter = state.waiters.remove(at: place).continuation
      else { return .rest }
      return .resume(waiter, .failure(refusal))
    }
    guard let waiter = state.waiters.first?.continuation else { return .rest }
    guard state.underWay < concurrency else { return .rest }
    let now = ContinuousClock.now.sinceBoot
    if state.isKnown, let ticket = state.quota.quota.uncountedTicket(now: now) {
      state.uncounted.append(ticket)
      return letOut(waiter, with: ticket, &state)
    }
    if ledger != nil {
      guard !state.isAsking, !state.isDenied else { return .rest }
      state.isAsking = true
      let waiters = state.waiters.prefix { $0.continuation != nil }.count
      return .askLedger(tickets: min(waiters, concurrency - state.underWay))
    }
    let (tickets, denial) = state.quota.reserve(1, for: holder, now: now)
    if let ticket = tickets.first { return letOut(waiter, with: ticket, &state) }
    return denial.map { wait(as: $0, &state, now: now) } ?? .rest
  }

  private func letOut(_ waiter: Leave, with ticket: Quota.Ticket, _ state: inout State) -> Step {
    state.underWay += 1
    state.waiters.removeFirst()
    return .resume(waiter, .success(ticket))
  }

  private func wait(as decision: Quota.Decision, _ state: inout State, now: Duration) -> Step {
    switch decision {
    case .send: return .rest
    case .waitForAnswer(let until):
      let look = state.quota.isUsedByOthers(than: holder) ? now + Self.lookAgain : nil
      if let moment = [until, look].compactMap({ $0 }).min() { setAlarm(&state, at: moment) }
      return .rest
    case .wait(let until):
      guard until - now <= Self.longestWait else {
        state.refusal = Refusal(message: "the quota is spent")
        return nextStep(&state)
      }
      setAlarm(&state, at: until)
      guard state.announced != until else { return .rest }
      state.announced = until
      return .announce(until - now, remaining: state.quota.quota.remaining ?? 0)
    }
  }

  private func setAlarm(_ state: inout State, at moment: Duration) {
    if let alarm = state.alarm, alarm.at == moment { return }
    state.alarm?.task.cancel()
    let wake = ContinuousClock().systemEpoch + moment
    let task = Task { [weak self] in
      guard (try? await ContinuousClock().sleep(until: wake)) != nil else { return }
      self?.ring(moment)
    }
    state.alarm = (moment, task)
  }

  private func ring(_ moment: Duration) {
    state.withLock { state in
      guard state.alarm?.at == moment else { return }
      state.alarm = nil
      state.isDenied = false
    }
    letOut()
  }
}

// MARK: - The quota, shared or not

extension QuotaGate {
  /// Leave to send one request if there is any at this moment; `nil` otherwise.
  func acquireAtOnce() async -> Quota.Ticket? {
    if state.withLock({ $0.refusal != nil }) { return nil }
    let (leave, _) = await change { $0.reserve(1, for: $1, now: $2) }
    state.withLock { $0.underWay += leave.tickets.count }
    return leave.tickets.first
  }

  /// Takes a ticket back, and what came of its request.
  func settle(_ ticket: Quota.Ticket, _ outcome: Quota.Outcome) async {
    let now = ContinuousClock.now.sinceBoot
    let (isToCount, others) = state.withLock { state -> (Bool, [Quota.Ticket]) in
      state.underWay -= 1
      guard let place = state.uncounted.firstIndex(of: ticket) else { return (true, []) }
      state.uncounted.remove(at: place)
      let isUnlimited = state.quota.quota.uncountedTicket(now: now) != nil
      if outcome.tellsOfNoLimit, isUnlimited { return (false, []) }
      // From here on there is a limit, and those under way count.
      defer { state.uncounted = [] }
      return (true, state.uncounted)
    }
    if isToCount {
      await tell { quota, holder, now in
        for other in others { quota.adopt(other, of: holder) }
        quota.settle(ticket, of: holder, outcome, now: now)
      }
    }
    letOut()
  }

  private var holder: UInt64 { ledger?.holder ?? 0 }

  /// Changes the quota in the ledger, or here where there is none that can be used.
  private func change<Result: Sendable>(
    _ body: @escaping @Sendable (inout SharedQuota, _ holder: UInt64, _ now: Duration) -> Result
  ) async -> (result: Result, isShared: Bool) {
    let holder = holder
    let owed = state.withLock { state in
      defer { state.owed = [] }
      return state.owed
    }
    let shared = await ledger?.change(start) { quota, now in
      for tell in owed { tell(&quota, holder, now) }
      return body(&quota, holder, now)
    }
    return state.withLock { state in
      note(&state)
      if let (result, quota) = shared {
        state.quota = quota
        return (result, true)
      }
      state.owed.insert(contentsOf: owed, at: 0)
      let now = ContinuousClock.now.sinceBoot
      // Of the others nothing more will be heard.
      state.quota.dropDead(now: now) { $0 == holder }
      return (body(&state.quota, holder, now), false)
    }
  }

  /// Makes a change that the ledger is to learn of, if not now, then later.
  private func tell(_ body: @escaping Change) async {
    let (_, isShared) = await change(body)
    if !isShared, ledger != nil { state.withLock { $0.owed.append(body) } }
  }

  private func note(_ state: inout State) {
    state.isKnown = true
    state.isDenied = false
    state.changes += 1
  }

  private func askLedger(for count: Int) async {
    let changes = state.withLock { $0.changes }
    let (leave, _) = await change { $0.reserve(count, for: $1, now: $2) }
    var (unused, denial) = leave
    let steps = state.withLock { state in
      state.isAsking = false
      var steps: [Step] = []
      while let ticket = unused.first, state.refusal == nil, state.underWay < concurrency,
        let waiter = state.waiters.first?.continuation
      {
        unused.removeFirst()
        steps.append(letOut(waiter, with: ticket, &state))
      }
      // What was learnt meanwhile may make it another.
      if let denial, state.changes == changes + 1 {
        state.isDenied = true
        steps.append(wait(as: denial, &state, now: ContinuousClock.now.sinceBoot))
      }
      return steps
    }
    for step in steps { take(step) }
    for ticket in unused {
      await tell { $0.settle(ticket, of: $1, .notSent, now: $2) }
    }
    letOut()
  }
}

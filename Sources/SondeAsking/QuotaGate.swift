package import SondeProviders
import SondeRecords
import SondeStore
import SondeSystem
import Synchronization

/// Admits requests as decided by a ``PermitMachine``: locks, asks it, unlocks, and acts.
package final class QuotaGate: Sendable {
  typealias Permit = CheckedContinuation<Quota.Ticket, any Error>

  private struct State {
    var machine: PermitMachine
    var waiting: [UInt64: Permit] = [:]
    var alarm: Task<Void, Never>?
    var watch: Task<Void, Never>?
  }

  /// The rest of an action after unlocking.
  private enum Effect {
    case resume(Permit, Result<Quota.Ticket, any Error>)
    case other(PermitMachine.Action)
  }

  private let state: Mutex<State>
  private let start: Quota
  private let ledger: QuotaAccount?
  private let announce: @Sendable (_ wait: Duration, _ remaining: Int) -> Void

  /// Creates a gate; `announce` is called once for each period in which nothing may be sent.
  package init(
    quota: Quota,
    ledger: QuotaAccount? = nil,
    _ rules: AskingRules,
    announce: @escaping @Sendable (_ wait: Duration, _ remaining: Int) -> Void
  ) {
    let machine = PermitMachine(quota: quota, ledger: ledger?.holder, rules)
    state = Mutex(State(machine: machine))
    start = quota
    (self.ledger, self.announce) = (ledger, announce)
    if let ledger, let interval = ledger.lookInterval {
      state.withLock { $0.watch = watch(ledger, every: interval) }
    }
  }

  deinit {
    state.withLock {
      $0.alarm?.cancel()
      $0.watch?.cancel()
    }
  }

  /// Sends requests in turn with other gates of the same quota.
  func join(
    _ turns: RequestTurns,
    at account: String,
    of user: String,
    _ rank: RequestTurns.Rank
  ) {
    let turn = turns.turn(at: account, of: user, rank) { [weak self] in
      self?.handle { $0.machine.takeTurn(now: $1) }
    }
    state.withLock { $0.machine.turn = turn }
  }

  /// The number of requests that the quota permits now; `nil` without a window.
  var remaining: Int? { state.withLock { $0.machine.remaining } }

  /// Takes a place in the queue, before those of later questions.
  ///
  /// Later places wait until it is used or abandoned, so that the earlier question is asked first
  /// even if both have to wait for the network before.
  package func enter(turn: UInt64) -> UInt64 { state.withLock { $0.machine.enter(turn: turn) } }

  package func abandon(_ id: UInt64) { handle { $0.machine.abandon(id, now: $1) } }

  /// Waits at a place from ``enter(turn:)`` for the permit to send a request on an open path.
  ///
  /// Throws ``PermitMachine/Denial``, or `CancellationError`.
  package func acquire(_ id: UInt64, while isOpen: () -> Bool) async throws -> Quota.Ticket {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { permit in
        handle { state, _ in
          state.waiting[id] = permit
          return state.machine.wait(id)
        }
        if Task.isCancelled { turnAway(id, .cancelled) }
        // Checked after queueing, so that no loss is missed.
        if !isOpen() { turnAway(id, .sentBack) }
        advance()
      }
    } onCancel: {
      turnAway(id, .cancelled)
    }
  }

  /// Ends all waits, so that the tasks check their other conditions.
  package func sendBack() { handle { state, _ in state.machine.turnAllAway(.sentBack) } }

  /// Denies permits to all waiting and all later tasks.
  package func close(_ denial: PermitMachine.Denial) {
    handle { state, _ in state.machine.close(denial) }
  }

  /// Issues no permits for a time, in this process only.
  package func pause(for wait: Duration) {
    guard wait > .zero else { return }
    handle { state, now in
      state.machine.pause(until: now + wait)
      return []
    }
  }

  private func turnAway(_ id: UInt64, _ denial: PermitMachine.Denial) {
    handle { state, _ in state.machine.turnAway(id, denial) }
  }

  private func advance() { handle { $0.machine.advance(now: $1) } }

  /// The time used by the quota.
  private var now: Duration { ledger?.now ?? Clocks.steady }

  // MARK: - Acting

  private func handle(_ event: (inout State, Duration) -> [PermitMachine.Action]) {
    let (effects, turn) = state.withLock { state in
      let now = now
      let effects = event(&state, now).compactMap { effect(of: $0, &state) }
      if !state.machine.isWaiting(now: now) { state.machine.turn?.rest() }
      return (effects, state.machine.turn)
    }
    for effect in effects { act(effect) }
    turn?.pass()
  }

  /// Finds the waiting task of an action; it is resumed after unlocking.
  private func effect(of action: PermitMachine.Action, _ state: inout State) -> Effect? {
    switch action {
    case .admit(let id, let ticket):
      return state.waiting.removeValue(forKey: id).map { .resume($0, .success(ticket)) }
    case .turnAway(let id, let denial):
      let error: any Error = denial == .cancelled ? CancellationError() : denial
      return state.waiting.removeValue(forKey: id).map { .resume($0, .failure(error)) }
    case .wake(let moment):
      // Under the lock, so that the last alarm set is the one that rings.
      state.alarm?.cancel()
      state.alarm = alarm(at: moment)
      return nil
    case .announce, .askLedger, .refund: return .other(action)
    }
  }

  private func act(_ effect: Effect) {
    switch effect {
    case .resume(let permit, let result): permit.resume(with: result)
    case .other(.announce(let wait, let remaining)): announce(wait, remaining)
    case .other(.askLedger(let count)): Task { await askLedger(for: count) }
    case .other(.refund(let tickets)):
      Task {
        _ = await change(tickets.map { .settle($0, .notSent) })
        advance()
      }
    case .other(.admit), .other(.turnAway), .other(.wake): break
    }
  }

  private func alarm(at moment: Duration) -> Task<Void, Never> {
    let wake = ContinuousClock.now + (moment - now)
    return Task { [weak self] in
      guard (try? await ContinuousClock().sleep(until: wake)) != nil else { return }
      self?.handle { $0.machine.wake(at: moment, now: $1) }
    }
  }
}

// MARK: - The quota, shared or not

extension QuotaGate {
  /// A permit, if one is available at this moment.
  func acquireAtOnce() async -> Quota.Ticket? {
    let mayAsk = state.withLock { state in
      !state.machine.isClosed && state.machine.reserveRate(now: now) == nil
    }
    guard mayAsk else { return nil }
    let ticket = await change([], reserving: 1)?.tickets.first
    state.withLock { state in
      if ticket == nil {
        state.machine.rate?.settle(wasSent: false, now: now)
      } else {
        state.machine.countAdmitted(1)
      }
    }
    handle { _, _ in [] }
    return ticket
  }

  /// Takes back a ticket, with the outcome of its request.
  ///
  /// Returns when the quota is updated, or when the task is cancelled; it is updated in any case.
  package func settle(_ ticket: Quota.Ticket, _ outcome: Quota.Outcome) async {
    let changes = state.withLock { $0.machine.giveBack(ticket, outcome, now: now) }
    guard !changes.isEmpty else { return advance() }
    guard ledger != nil else {
      _ = await change(changes)
      return advance()
    }
    let isDone = Bell()
    Task {
      _ = await change(changes)
      advance()
      isDone.ring()
    }
    try? await isDone.wait(after: 0, until: nil)
  }

  /// Restores the quota in a ledger that has lost it, before others ask; a task that waits for the
  /// end of a window would not notice the loss earlier.
  private func watch(_ ledger: QuotaAccount, every interval: Duration) -> Task<Void, Never> {
    Task { [weak self] in
      while (try? await Task.sleep(for: interval)) != nil {
        let isOfUse = self.map { gate in gate.state.withLock { $0.machine.isInUse(now: gate.now) } }
        guard let isOfUse else { return }
        if isOfUse, await ledger.isLost() { _ = await self?.change([]) }
      }
    }
  }

  private func askLedger(for count: Int) async {
    let earlier = state.withLock { $0.machine.changes }
    guard let (tickets, denial) = await change([], reserving: count) else {
      // The path is closed by then, and the tasks wait for it to open.
      return handle { $0.machine.endAskingInVain(now: $1) }
    }
    handle { $0.machine.take(tickets, denial: denial, since: earlier, now: $1) }
  }

  /// Issued permits, and what to wait for if there are fewer than requested.
  private typealias Reservation = (tickets: [Quota.Ticket], denial: Quota.Decision?)

  /// Changes the quota in the ledger, or here if there is none that is usable.
  ///
  /// A cancelled task also waits for the ledger, so that issued permits are not requested again.
  /// - Returns: The permits; `nil` if the ledger is unavailable.
  private func change(
    _ changes: [PermitMachine.Change],
    reserving count: Int = 0
  ) async -> Reservation? {
    await Task { await changeToTheEnd(changes, reserving: count) }.value
  }

  private func changeToTheEnd(
    _ changes: [PermitMachine.Change],
    reserving count: Int
  ) async -> Reservation? {
    let holder = ledger?.holder ?? 0
    let owed = state.withLock { $0.machine.takeOwed() }
    let shared = await ledger?.change(start) { quota, time in
      // So that no window stated by an answer ends too early by a more accurate clock.
      quota.take(owed + changes, of: holder, now: time.now + time.lag)
      return quota.reserve(count, for: holder, now: time.now)
    }
    return state.withLock { state in
      switch shared {
      case .made((let result, let quota)):
        state.machine.learn(quota)
        return result
      case .alone, nil:
        return state.machine.apply(changes, owed: owed, reserving: count, now: now)
      case .unreachable:
        state.machine.owe(owed + changes)
        return nil
      case .cancelled: return nil
      }
    }
  }
}

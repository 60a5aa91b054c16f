import SondeProviders

/// Decides which task may send a request, and when: a pure value that is passed events and times.
///
/// Permits are issued as the quota and the concurrency allow, earlier questions first. With a
/// ledger, the quota here is a copy of the ledger's. Times are those of the quota.
package struct PermitMachine: Sendable {
  /// Why a waiting task gets no permit.
  package enum Denial: Error, Equatable {
    case cancelled
    /// The network is lost or the budget spent, which must be checked first.
    case sentBack
    /// The provider is no longer asked.
    case refused(Refusal)
    /// The quota is spent for longer than the patience.
    case spent(Duration)
    /// The provider requires a pause longer than the patience.
    case paused(Duration)
  }

  /// An action for the driver.
  enum Action: Equatable {
    case admit(UInt64, Quota.Ticket)
    case turnAway(UInt64, Denial)
    /// Report that nothing may be sent for this long.
    case announce(Duration, remaining: Int)
    /// Request this many permits from the ledger.
    case askLedger(Int)
    /// Return the ledger's permits that are no longer needed.
    case refund([Quota.Ticket])
    /// Call ``PermitMachine/wake(at:now:)`` at this time, instead of any earlier one.
    case wake(at: Duration)
  }

  /// A change of the quota.
  enum Change: Equatable, Sendable {
    /// A request is pending that was sent while there was no limit.
    case adopt(Quota.Ticket)
    case settle(Quota.Ticket, Quota.Outcome)
  }

  private struct Waiter {
    let id: UInt64
    let turn: UInt64
    /// Whether a task waits here, not just holds the place.
    var isReady = false
  }

  /// How often to check the requests of other processes.
  private static let lookAgain = Duration.milliseconds(50)

  private let concurrency: Int
  /// The user's rate in addition to the quota, which may be shared with other machines.
  let rate: RequestRate?
  /// Its place among the runs of this process that share the quota; `nil` if it shares it with none.
  var turn: RequestTurn?
  /// How long to wait for a quota or a pause.
  private let patience: Duration
  let holder: UInt64
  let hasLedger: Bool
  var quota: SharedQuota
  /// Whether the quota was read from the ledger, if there is one.
  var isKnown: Bool
  /// The number of permits being requested from the ledger, for which the rate was reserved.
  private var asked = 0
  /// Whether it issued none; it is asked again when the alarm rings or an answer arrives.
  var isDenied = false
  /// The number of changes of the quota since the start.
  var changes: UInt64 = 0
  /// Issued tickets that are not counted, because there is no limit.
  var uncounted: [Quota.Ticket] = []
  /// Changes that could not be written to the ledger before.
  var owed: [Change] = []
  var underWay = 0
  private var waiters: [Waiter] = []
  private var lastID: UInt64 = 0
  private var alarm: Duration?
  private var announced: Duration?
  /// The denial for all tasks after closing.
  private var closure: Denial?
  private var pausedUntil: Duration?

  /// Creates a machine; `holder` is the holder of tickets in the ledger, `nil` without one.
  init(quota: Quota, ledger holder: UInt64?, _ rules: AskingRules) {
    self.quota = SharedQuota(start: quota)
    self.holder = holder ?? 0
    hasLedger = holder != nil
    isKnown = holder == nil
    (concurrency, patience, rate) = (rules.concurrency, rules.quotaPatience, rules.rate)
  }

  /// The number of requests that the quota permits now; `nil` without a window.
  var remaining: Int? { quota.quota.remaining }

  var isClosed: Bool { closure != nil }
}

// MARK: - Those who wait

extension PermitMachine {
  /// Takes a place in the queue, before those of later questions.
  mutating func enter(turn: UInt64) -> UInt64 {
    lastID += 1
    let place = waiters.lastIndex { $0.turn <= turn }.map { $0 + 1 } ?? 0
    waiters.insert(Waiter(id: lastID, turn: turn), at: place)
    return lastID
  }

  /// Gives up an unused place.
  mutating func abandon(_ id: UInt64, now: Duration) -> [Action] {
    waiters.removeAll { $0.id == id }
    return advance(now: now)
  }

  /// Starts to wait at a place.
  mutating func wait(_ id: UInt64) -> [Action] {
    guard let place = waiters.firstIndex(where: { $0.id == id }) else {
      return [.turnAway(id, .sentBack)]
    }
    waiters[place].isReady = true
    return []
  }

  /// Ends one wait, if it has not ended yet.
  mutating func turnAway(_ id: UInt64, _ denial: Denial) -> [Action] {
    guard let place = waiters.firstIndex(where: { $0.id == id && $0.isReady }) else { return [] }
    waiters.remove(at: place)
    return [.turnAway(id, denial)]
  }

  mutating func turnAllAway(_ denial: Denial) -> [Action] {
    let ids = waiters.filter(\.isReady).map(\.id)
    waiters.removeAll(where: \.isReady)
    return ids.map { .turnAway($0, denial) }
  }

  /// Denies permits to all waiting and all later tasks.
  mutating func close(_ denial: Denial) -> [Action] {
    closure = denial
    return turnAllAway(denial)
  }

  /// Issues no permits before a moment, in this process only.
  mutating func pause(until moment: Duration) { pausedUntil = max(pausedUntil ?? moment, moment) }

  /// Handles the alarm set for a moment.
  mutating func wake(at moment: Duration, now: Duration) -> [Action] {
    guard alarm == moment else { return [] }
    (alarm, isDenied) = (nil, false)
    return advance(now: now)
  }
}

// MARK: - Permits

extension PermitMachine {
  /// Issues all possible permits.
  mutating func advance(now: Duration) -> [Action] {
    if let closure { return turnAllAway(closure) }
    var actions: [Action] = []
    while let waiter = waiters.first, waiter.isReady, underWay < concurrency {
      if let pausedUntil, now < pausedUntil {
        guard patience > .zero else { return actions + turnAllAway(.paused(pausedUntil - now)) }
        actions += setAlarm(at: pausedUntil)
        break
      }
      let isUncounted = isKnown && quota.quota.uncountedTicket(now: now) != nil
      if let turn, !isUncounted, !turn.isNext {
        if let end = turn.spentUntil, now < end { actions += hold(as: .wait(until: end), now: now) }
        break
      }
      if hasLedger, !isUncounted {
        actions += askLedger(now: now)
        break
      }
      if let obstacle = reserveRate(now: now) {
        turn?.rest()
        actions += hold(as: obstacle, now: now)
        break
      }
      if isUncounted, let ticket = quota.quota.uncountedTicket(now: now) {
        uncounted.append(ticket)
        actions.append(admit(with: ticket))
        continue
      }
      let (tickets, denial) = quota.reserve(1, for: holder, now: now)
      guard let ticket = tickets.first else {
        rate?.settle(wasSent: false, now: now)
        actions += denial.map { deny($0, now: now) } ?? []
        break
      }
      actions.append(admit(with: ticket))
    }
    return actions
  }

  /// Reserves one request of the user's rate; returns what to wait for if none is available.
  func reserveRate(now: Duration) -> Quota.Decision? {
    switch rate?.reserve(now: now) {
    case .send, nil: nil
    case .wait(let until): .wait(until: until)
    // It may be another machine's.
    case .waitForAnswer: .waitForAnswer(until: now + Self.lookAgain)
    }
  }

  /// Whether it would ask for a permit if its turn had come.
  func isWaiting(now: Duration) -> Bool {
    closure == nil && waiters.first?.isReady == true && underWay < concurrency
      && pausedUntil.map { $0 <= now } ?? true
  }

  /// Issues permits because its turn has come, whatever the ledger said before.
  mutating func takeTurn(now: Duration) -> [Action] {
    isDenied = false
    return advance(now: now)
  }

  private mutating func admit(with ticket: Quota.Ticket) -> Action {
    underWay += 1
    turn?.wasServed()
    return .admit(waiters.removeFirst().id, ticket)
  }

  private mutating func askLedger(now: Duration) -> [Action] {
    guard asked == 0, !isDenied else { return [] }
    let ready = min(waiters.prefix(while: \.isReady).count, concurrency - underWay)
    let wanted = turn?.isShared == true ? min(ready, 1) : ready
    while asked < wanted {
      if let obstacle = reserveRate(now: now) {
        turn?.rest()
        return asked > 0 ? [.askLedger(asked)] : hold(as: obstacle, now: now)
      }
      asked += 1
    }
    return [.askLedger(asked)]
  }

  /// Returns the reserved rate of permits that were not issued.
  private mutating func endAsking(unused count: Int, now: Duration) {
    for _ in 0..<count { rate?.settle(wasSent: false, now: now) }
    asked = 0
  }

  /// Handles the ledger's permits, and what to wait for if there are fewer than requested.
  ///
  /// `earlier` is the value of ``changes`` at the time of the request.
  mutating func take(
    _ tickets: [Quota.Ticket],
    denial: Quota.Decision?,
    since earlier: UInt64,
    now: Duration
  ) -> [Action] {
    var unused = tickets[...]
    var actions: [Action] = []
    while let ticket = unused.first, closure == nil, underWay < concurrency,
      waiters.first?.isReady == true
    {
      unused.removeFirst()
      actions.append(admit(with: ticket))
    }
    endAsking(unused: asked - tickets.count + unused.count, now: now)
    // Changes since the request may have invalidated it.
    if let denial, changes == earlier + 1 {
      isDenied = true
      actions += deny(denial, now: now)
    }
    if !unused.isEmpty { actions.append(.refund(Array(unused))) }
    return actions + advance(now: now)
  }

  /// Handles the loss of the ledger, without which no permits are issued.
  mutating func endAskingInVain(now: Duration) -> [Action] {
    endAsking(unused: asked, now: now)
    return turnAllAway(.sentBack)
  }

  /// Waits for the quota, as all do who share it.
  private mutating func deny(_ decision: Quota.Decision, now: Duration) -> [Action] {
    if case .wait(let until) = decision { turn?.wasDenied(until: until) }
    return hold(as: decision, now: now)
  }

  private mutating func hold(as decision: Quota.Decision, now: Duration) -> [Action] {
    switch decision {
    case .send: return []
    case .waitForAnswer(let until):
      let counted = underWay - uncounted.count
      let isShared = hasLedger && quota.isUsedByOthers(than: holder, with: counted)
      let look = isShared ? now + Self.lookAgain : nil
      return [until, look].compactMap(\.self).min().map { setAlarm(at: $0) } ?? []
    case .spent(let until): return leave(until - now)
    case .wait(let until):
      guard until - now <= patience else { return leave(until - now) }
      let actions = setAlarm(at: until)
      guard announced != until else { return actions }
      announced = until
      return actions + [.announce(until - now, remaining: remaining ?? 0)]
    }
  }

  /// Denies permits to all tasks because a quota is spent for this long.
  private mutating func leave(_ rest: Duration) -> [Action] {
    isDenied = false
    return turnAllAway(.spent(rest))
  }

  private mutating func setAlarm(at moment: Duration) -> [Action] {
    guard alarm != moment else { return [] }
    alarm = moment
    return [.wake(at: moment)]
  }
}

import SondeProviders

/// Decides who may send a request, and when: a pure value, told what happens and what time it is.
///
/// They are let out as the quota and the concurrency allow, those of the earlier question first. The
/// quota is the one of the ledger, if there is one; what is kept here is a copy of it then. Times
/// are those of the quota.
package struct PermitMachine: Sendable {
  /// Why one who waited gets no permit.
  package enum Denial: Error, Equatable {
    case cancelled
    /// The network is lost, or the budget spent: look at that first.
    case sentBack
    /// The provider is not asked any more.
    case refused(Refusal)
    /// The quota allows nothing for longer than is waited for.
    case spent(Duration)
    /// The provider wants to be left alone for longer than is waited for.
    case paused(Duration)
  }

  /// What is to be done.
  enum Action: Equatable {
    case admit(UInt64, Quota.Ticket)
    case turnAway(UInt64, Denial)
    /// Nothing may be sent for so long.
    case announce(Duration, remaining: Int)
    /// The ledger is to be asked for so many permits.
    case askLedger(Int)
    /// The ledger gave permits that nobody wants any more.
    case refund([Quota.Ticket])
    /// Call ``PermitMachine/wake(at:now:)`` then, instead of what was said before.
    case wake(at: Duration)
  }

  /// What the quota is to learn.
  enum Change: Equatable, Sendable {
    /// A request is under way that was sent while there was no limit.
    case adopt(Quota.Ticket)
    case settle(Quota.Ticket, Quota.Outcome)
  }

  private struct Waiter {
    let id: UInt64
    let turn: UInt64
    /// Whether somebody waits here, and not only holds the place.
    var isReady = false
  }

  /// How often to look what became of the requests of others.
  private static let lookAgain = Duration.milliseconds(50)

  private let concurrency: Int
  /// What the user allows of requests, beside the quota; other machines may use it, too.
  let rate: RequestRate?
  /// How long a quota or a pause is waited for.
  private let patience: Duration
  let holder: UInt64
  let hasLedger: Bool
  var quota: SharedQuota
  /// Whether the quota has been asked for in the ledger, if there is one.
  var isKnown: Bool
  /// How many permits the ledger is being asked for; what the rate allows of requests is taken for them.
  private var asked = 0
  /// Whether it gave none; it is asked again when the alarm rings or an answer is in.
  var isDenied = false
  /// Counts what has become of the quota since the start.
  var changes: UInt64 = 0
  /// Tickets out that nobody counts, because there is no limit.
  var uncounted: [Quota.Ticket] = []
  /// What the ledger is to learn, because it could not be written before.
  var owed: [Change] = []
  var underWay = 0
  private var waiters: [Waiter] = []
  private var lastID: UInt64 = 0
  private var alarm: Duration?
  private var announced: Duration?
  /// What everybody is turned away with, once nobody is let out any more.
  private var closure: Denial?
  private var pausedUntil: Duration?

  /// - Parameters:
  ///   - quota: What is known of the quota at the start.
  ///   - holder: Who holds the tickets in the ledger; `nil` where there is none.
  ///   - rules: How many requests may be under way, and how long the quota is waited for.
  init(quota: Quota, ledger holder: UInt64?, _ rules: AskingRules) {
    self.quota = SharedQuota(start: quota)
    self.holder = holder ?? 0
    hasLedger = holder != nil
    isKnown = holder == nil
    (concurrency, patience, rate) = (rules.concurrency, rules.quotaPatience, rules.rate)
  }

  /// Requests that the quota allows at the moment; `nil` where there is no window.
  var remaining: Int? { quota.quota.remaining }

  /// Whether nobody is let out any more.
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

  /// Gives up a place that is not used after all.
  mutating func abandon(_ id: UInt64, now: Duration) -> [Action] {
    waiters.removeAll { $0.id == id }
    return advance(now: now)
  }

  /// Begins to wait at a place.
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

  /// Ends all waits.
  mutating func turnAllAway(_ denial: Denial) -> [Action] {
    let ids = waiters.filter(\.isReady).map(\.id)
    waiters.removeAll(where: \.isReady)
    return ids.map { .turnAway($0, denial) }
  }

  /// Turns everybody away who waits, and everybody who comes.
  mutating func close(_ denial: Denial) -> [Action] {
    closure = denial
    return turnAllAway(denial)
  }

  /// Permits nothing before a moment, in this process alone.
  mutating func pause(until moment: Duration) { pausedUntil = max(pausedUntil ?? moment, moment) }

  /// Notes that the alarm rang that was set for a moment.
  mutating func wake(at moment: Duration, now: Duration) -> [Action] {
    guard alarm == moment else { return [] }
    alarm = nil
    isDenied = false
    return advance(now: now)
  }
}

// MARK: - Permits

extension PermitMachine {
  /// Gives all permits that can be given.
  mutating func advance(now: Duration) -> [Action] {
    if let closure { return turnAllAway(closure) }
    var actions: [Action] = []
    while let waiter = waiters.first, waiter.isReady, underWay < concurrency {
      if let pausedUntil, now < pausedUntil {
        guard patience > .zero else {
          return actions + turnAllAway(.paused(pausedUntil - now))
        }
        actions += setAlarm(at: pausedUntil)
        break
      }
      let isUncounted = isKnown && quota.quota.uncountedTicket(now: now) != nil
      if hasLedger, !isUncounted {
        actions += askLedger(now: now)
        break
      }
      if let obstacle = reserveRate(now: now) {
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
        actions += denial.map { hold(as: $0, now: now) } ?? []
        break
      }
      actions.append(admit(with: ticket))
    }
    return actions
  }

  /// Takes leave of the user's rate to send one request.
  ///
  /// - Returns: What to wait for where it gives none.
  func reserveRate(now: Duration) -> Quota.Decision? {
    switch rate?.reserve(now: now) {
    case .send, nil: nil
    case .wait(let until): .wait(until: until)
    // It may be another machine's.
    case .waitForAnswer: .waitForAnswer(until: now + Self.lookAgain)
    }
  }

  private mutating func admit(with ticket: Quota.Ticket) -> Action {
    underWay += 1
    return .admit(waiters.removeFirst().id, ticket)
  }

  private mutating func askLedger(now: Duration) -> [Action] {
    guard asked == 0, !isDenied else { return [] }
    let wanted = min(waiters.prefix(while: \.isReady).count, concurrency - underWay)
    while asked < wanted {
      if let obstacle = reserveRate(now: now) {
        return asked > 0 ? [.askLedger(asked)] : hold(as: obstacle, now: now)
      }
      asked += 1
    }
    return [.askLedger(asked)]
  }

  /// Gives back what was taken of the rate for permits that nobody got.
  private mutating func endAsking(unused count: Int, now: Duration) {
    for _ in 0..<count { rate?.settle(wasSent: false, now: now) }
    asked = 0
  }

  /// Takes what the ledger gave.
  ///
  /// - Parameters:
  ///   - tickets: The permits.
  ///   - denial: What to wait for where there are fewer than asked for.
  ///   - earlier: ``changes`` when it was asked.
  ///   - now: This moment.
  /// - Returns: What is to be done, in order.
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
    // What was learnt meanwhile may make it another.
    if let denial, changes == earlier + 1 {
      isDenied = true
      actions += hold(as: denial, now: now)
    }
    if !unused.isEmpty { actions.append(.refund(Array(unused))) }
    return actions + advance(now: now)
  }

  /// Notes that the ledger is gone: nobody gets a permit without it.
  mutating func endAskingInVain(now: Duration) -> [Action] {
    endAsking(unused: asked, now: now)
    return turnAllAway(.sentBack)
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

  /// Turns everybody away for a quota that is spent for so long.
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

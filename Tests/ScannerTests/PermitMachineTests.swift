import Testing

@testable import SondeAsking
@testable import SondeProviders

/// Scenarios of the queue for permits, drawn without sleeping.
@Suite struct PermitMachineTests {
  private typealias Action = PermitMachine.Action

  private let minute = Allowance(requests: 3, per: .seconds(60))

  private func machine(
    _ allowance: Allowance? = nil,
    ledger: UInt64? = nil,
    concurrency: Int = 8,
    patience: Duration? = nil
  ) -> Queue {
    var rules = AskingRules()
    rules.concurrency = concurrency
    if let patience { rules.quotaPatience = patience }
    return Queue(PermitMachine(quota: Quota(allowance: allowance), ledger: ledger, rules))
  }

  private func told(_ remaining: Int, _ rest: Duration) -> Quota.Outcome {
    var notice = QuotaNotice()
    (notice.remaining, notice.resetsIn, notice.isAnswer) = (remaining, rest, true)
    return .answered(notice)
  }

  private func throttled(for wait: Duration) -> Quota.Outcome {
    var notice = QuotaNotice()
    (notice.isThrottled, notice.retryAfter) = (true, wait)
    return .answered(notice)
  }

  private func admitted(_ actions: [Action]) -> [UInt64] {
    actions.compactMap { if case .admit(let id, _) = $0 { id } else { nil } }
  }

  private func tickets(_ actions: [Action]) -> [Quota.Ticket] {
    actions.compactMap { if case .admit(_, let ticket) = $0 { ticket } else { nil } }
  }

  @Test func `the earlier question comes first, also where it only holds a place`() {
    let machine = machine()
    let late = machine.enter(turn: 2)
    let early = machine.enter(turn: 1)
    #expect(machine.wait(late) + machine.advance(now: .zero) == [])
    #expect(admitted(machine.wait(early) + machine.advance(now: .zero)) == [early, late])
  }

  @Test func `a place that is abandoned holds nobody up`() {
    let machine = machine()
    let first = machine.enter(turn: 0)
    let second = machine.enter(turn: 0)
    #expect(machine.wait(second) + machine.advance(now: .zero) == [])
    #expect(admitted(machine.abandon(first, now: .zero)) == [second])
    #expect(machine.abandon(first, now: .zero) == [])
  }

  @Test func `no more than so many are under way at once`() {
    let machine = machine(concurrency: 2)
    let all = (0..<5).flatMap { _ in machine.come() }
    #expect(admitted(all).count == 2)
    let next = machine.end(tickets(all)[0], told(5, .seconds(60)), at: .seconds(1))
    #expect(admitted(next).count == 1)
  }

  @Test func `a spent window is waited out, and that is told once`() {
    let machine = machine(minute)
    let first = tickets(machine.come())
    #expect(machine.come() == [])
    let full = machine.end(first[0], told(0, .seconds(40)), at: .zero)
    #expect(full == [.wake(at: .seconds(40)), .announce(.seconds(40), remaining: 0)])
    #expect(machine.come(at: .seconds(10)) == [])
    // An alarm that was set for another moment says nothing.
    #expect(machine.wake(at: .seconds(39), now: .seconds(39)) == [])
    let next = machine.wake(at: .seconds(40), now: .seconds(40))
    #expect(admitted(next).count == 1)
  }

  @Test func `who waits for no quota is told at once for how long it is spent`() {
    let machine = machine(minute, patience: .zero)
    let first = tickets(machine.come())
    #expect(machine.end(first[0], throttled(for: .seconds(7)), at: .zero) == [])
    #expect(machine.come(at: .seconds(2)) == [.turnAway(2, .spent(.seconds(5)))])
    #expect(admitted(machine.come(at: .seconds(8))) == [3])
  }

  @Test func `who waits for nothing waits for no pause of the provider either`() {
    let machine = machine(patience: .zero)
    machine.pause(until: .seconds(3))
    #expect(machine.come(at: .seconds(1)) == [.turnAway(1, .paused(.seconds(2)))])
    #expect(admitted(machine.come(at: .seconds(3))) == [2])
  }

  @Test func `a wait of up to an hour is waited for, a longer one is not`() {
    for (wait, isWaitedFor) in [(3600, true), (3601, false), (86_400, false)] {
      let machine = machine(minute)
      let first = tickets(machine.come())
      #expect(machine.end(first[0], throttled(for: .seconds(wait)), at: .zero) == [])
      let actions = machine.come() + machine.come()
      if isWaitedFor {
        #expect(actions.contains(.wake(at: .seconds(wait))))
      } else {
        #expect(actions == [2, 3].map { .turnAway($0, .spent(.seconds(wait))) })
      }
      // Once it is over, somebody may go again.
      let later = machine.come(at: .seconds(wait + 1))
      #expect(admitted(later) == [isWaitedFor ? 2 : 4])
    }
  }

  @Test func `a pause is this process's own, and the quota knows nothing of it`() {
    let machine = machine()
    machine.pause(until: .seconds(5))
    machine.pause(until: .seconds(3))
    #expect(machine.come(at: .seconds(1)) == [.wake(at: .seconds(5))])
    #expect(admitted(machine.wake(at: .seconds(5), now: .seconds(5))) == [1])
  }

  @Test func `a refusal turns away all who wait, and all who come`() {
    let machine = machine(concurrency: 1)
    let first = machine.come()
    #expect(admitted(first) == [1])
    #expect(machine.come() == [])
    let refusal = Refusal(message: "banned")
    #expect(machine.close(.refused(refusal)) == [.turnAway(2, .refused(refusal))])
    #expect(machine.come() == [.turnAway(3, .refused(refusal))])
    #expect(machine.isClosed)
  }

  @Test func `once it is closed nobody is let out, also by a permit given back`() {
    let machine = machine(concurrency: 1)
    let first = machine.come()
    #expect(machine.come() == [])
    let holder = machine.enter(turn: 0)
    #expect(machine.close(.cancelled) == [.turnAway(2, .cancelled)])
    #expect(machine.end(tickets(first)[0], .lost, at: .zero) == [])
    #expect(machine.wait(holder) + machine.advance(now: .zero) == [.turnAway(3, .cancelled)])
  }

  @Test func `one is turned away once, and only while it waits`() {
    let machine = machine(concurrency: 1)
    #expect(admitted(machine.come()) == [1])
    #expect(machine.come() == [])
    #expect(machine.turnAway(2, .cancelled) == [.turnAway(2, .cancelled)])
    #expect(machine.turnAway(2, .cancelled) == [])
    #expect(machine.turnAway(1, .cancelled) == [])
    // Its place is gone as well.
    #expect(machine.wait(2) == [.turnAway(2, .sentBack)])
  }

  @Test func `all are sent back, but those who only hold a place`() {
    let machine = machine(minute)
    #expect(admitted(machine.come()).count == 1)
    #expect(machine.come() == [])
    let holder = machine.enter(turn: 0)
    #expect(machine.turnAllAway(.sentBack) == [.turnAway(2, .sentBack)])
    #expect(machine.wait(holder) == [])
  }

  // MARK: - With a ledger

  @Test func `the ledger is asked once at a time, for all who wait`() {
    let machine = machine(minute, ledger: 7)
    #expect(machine.come() == [.askLedger(1)])
    #expect(machine.come() + machine.come() == [])
    let ticket = Quota.Ticket(window: 0, sent: .zero, left: nil)
    let actions = machine.take([ticket], denial: nil, since: 0, now: .zero)
    #expect(actions == [.admit(1, ticket), .askLedger(2)])
  }

  @Test func `permits that nobody wants any more go back`() {
    let machine = machine(minute, ledger: 7)
    #expect(machine.come() == [.askLedger(1)])
    machine.turnAway(1, .cancelled)
    let ticket = Quota.Ticket(window: 0, sent: .zero, left: nil)
    #expect(machine.take([ticket], denial: nil, since: 0, now: .zero) == [.refund([ticket])])
  }

  @Test func `a denial is believed until the alarm rings or something is learnt`() {
    let machine = machine(minute, ledger: 7)
    #expect(machine.come() == [.askLedger(1)])
    machine.learn(SharedQuota(start: Quota(allowance: minute)))
    let denied = machine.take([], denial: .wait(until: .seconds(9)), since: 0, now: .zero)
    #expect(denied == [.wake(at: .seconds(9)), .announce(.seconds(9), remaining: 0)])
    #expect(machine.come() == [])
    #expect(machine.wake(at: .seconds(9), now: .seconds(9)) == [.askLedger(2)])
  }

  @Test func `the end of a day is waited for by nobody, however near it is`() {
    let machine = machine(minute, ledger: 7)
    #expect(machine.come() == [.askLedger(1)])
    machine.learn(SharedQuota(start: Quota(allowance: minute)))
    let denied = machine.take([], denial: .spent(until: .seconds(9)), since: 0, now: .zero)
    #expect(denied.contains(.turnAway(1, .spent(.seconds(9)))))
  }

  @Test func `a denial that is out of date is asked for again`() {
    let machine = machine(minute, ledger: 7)
    #expect(machine.come() == [.askLedger(1)])
    for _ in 0..<2 {
      machine.learn(SharedQuota(start: Quota(allowance: minute)))
    }
    let actions = machine.take([], denial: .wait(until: .seconds(9)), since: 0, now: .zero)
    #expect(actions == [.askLedger(1)])
  }

  @Test func `the answer that another scan of this process waits for is looked for, too`() {
    var quota = SharedQuota(start: Quota(allowance: minute))
    _ = quota.reserve(1, for: 7, now: .zero)
    let denial = Quota.Decision.waitForAnswer(until: nil)
    let machine = machine(minute, ledger: 7)
    #expect(machine.come() == [.askLedger(1)])
    machine.learn(quota)
    let actions = machine.take([], denial: denial, since: 0, now: .zero)
    #expect(actions == [.wake(at: .milliseconds(50))])
    // Its own answer comes by itself.
    let owner = self.machine(minute, ledger: 7)
    owner.countAdmitted(1)
    #expect(owner.come() == [.askLedger(1)])
    owner.learn(quota)
    #expect(owner.take([], denial: denial, since: 0, now: .zero) == [])
  }

  @Test func `who waits for an answer of which the ledger could not be told asks it anew`() {
    var quota = SharedQuota(start: Quota(allowance: minute))
    let ticket = quota.reserve(1, for: 7, now: .zero).tickets[0]
    let machine = machine(minute, ledger: 7)
    machine.countAdmitted(1)
    #expect(machine.come() == [.askLedger(1)])
    machine.learn(quota)
    let denial = Quota.Decision.waitForAnswer(until: nil)
    #expect(machine.take([], denial: denial, since: 0, now: .zero) == [])
    let changes = machine.giveBack(ticket, .lost, now: .zero)
    machine.owe(changes)
    #expect(machine.advance(now: .zero) == [.askLedger(1)])
  }

  @Test func `what the ledger could not be told it is told later`() {
    let machine = machine(minute, ledger: 7)
    let ticket = Quota.Ticket(window: 0, sent: .zero, left: nil)
    machine.countAdmitted(1)
    let changes = machine.giveBack(ticket, .lost, now: .zero)
    machine.apply(changes, now: .zero)
    #expect(machine.takeOwed() == changes)
    #expect(machine.takeOwed() == [])
  }

  @Test func `while the ledger is gone nobody gets a permit, and all look why`() {
    let machine = machine(minute, ledger: 7)
    #expect(machine.come() + machine.come() == [.askLedger(1)])
    let ticket = Quota.Ticket(window: 0, sent: .zero, left: nil)
    machine.owe([.settle(ticket, .lost)])
    #expect(
      machine.endAskingInVain() == [.turnAway(1, .sentBack), .turnAway(2, .sentBack)]
    )
    // Who comes then asks anew, and what is owed comes first.
    #expect(machine.come() == [.askLedger(1)])
    machine.owe([.adopt(ticket)])
    #expect(machine.takeOwed() == [.adopt(ticket), .settle(ticket, .lost)])
  }
}

/// A machine with the few steps that its scenarios are made of.
private final class Queue {
  typealias Action = PermitMachine.Action

  private var machine: PermitMachine

  init(_ machine: PermitMachine) { self.machine = machine }

  var isClosed: Bool { machine.isClosed }

  /// What one more that waits brings about.
  func come(turn: UInt64 = 0, at now: Duration = .zero) -> [Action] {
    let id = enter(turn: turn)
    return wait(id) + advance(now: now)
  }

  /// Ends a request without a ledger.
  func end(_ ticket: Quota.Ticket, _ outcome: Quota.Outcome, at now: Duration) -> [Action] {
    let changes = giveBack(ticket, outcome, now: now)
    if !changes.isEmpty { apply(changes, now: now) }
    return advance(now: now)
  }

  func enter(turn: UInt64) -> UInt64 { machine.enter(turn: turn) }
  func wait(_ id: UInt64) -> [Action] { machine.wait(id) }
  func advance(now: Duration) -> [Action] { machine.advance(now: now) }
  func abandon(_ id: UInt64, now: Duration) -> [Action] { machine.abandon(id, now: now) }
  func wake(at moment: Duration, now: Duration) -> [Action] { machine.wake(at: moment, now: now) }
  func pause(until moment: Duration) { machine.pause(until: moment) }
  func close(_ denial: PermitMachine.Denial) -> [Action] { machine.close(denial) }
  func learn(_ quota: SharedQuota) { machine.learn(quota) }
  func countAdmitted(_ count: Int) { machine.countAdmitted(count) }
  func takeOwed() -> [PermitMachine.Change] { machine.takeOwed() }
  func owe(_ changes: [PermitMachine.Change]) { machine.owe(changes) }
  func endAskingInVain() -> [Action] { machine.endAskingInVain(now: .zero) }
  func turnAllAway(_ denial: PermitMachine.Denial) -> [Action] { machine.turnAllAway(denial) }

  @discardableResult
  func turnAway(_ id: UInt64, _ denial: PermitMachine.Denial) -> [Action] {
    machine.turnAway(id, denial)
  }

  func take(
    _ tickets: [Quota.Ticket],
    denial: Quota.Decision?,
    since earlier: UInt64,
    now: Duration
  ) -> [Action] {
    machine.take(tickets, denial: denial, since: earlier, now: now)
  }

  func giveBack(
    _ ticket: Quota.Ticket,
    _ outcome: Quota.Outcome,
    now: Duration
  ) -> [PermitMachine.Change] {
    machine.giveBack(ticket, outcome, now: now)
  }

  func apply(_ changes: [PermitMachine.Change], now: Duration) {
    _ = machine.apply(changes, owed: [], reserving: 0, now: now)
  }
}

import Testing

@testable import SondeAsking
@testable import SondeProviders

/// The user's rate beside a quota that allows more, as the machines decide that share it.
@Suite struct RequestRateTests {
  private func machine(
    _ rate: RequestRate,
    _ allowance: Allowance?,
    ledger: UInt64? = nil
  ) -> PermitMachine {
    var rules = AskingRules()
    rules.rate = rate
    return PermitMachine(quota: Quota(allowance: allowance), ledger: ledger, rules)
  }

  private func rate(_ requests: Int, _ seconds: Int) -> RequestRate {
    RequestRate(Allowance(requests: requests, per: .seconds(seconds)))
  }

  private func tickets(_ actions: [PermitMachine.Action]) -> [Quota.Ticket] {
    actions.compactMap { if case .admit(_, let ticket) = $0 { ticket } else { nil } }
  }

  private func come(_ machine: inout PermitMachine, at now: Duration = .zero) -> [PermitMachine
    .Action]
  {
    let id = machine.enter(turn: 0)
    return machine.wait(id) + machine.advance(now: now)
  }

  private func end(
    _ machine: inout PermitMachine,
    _ ticket: Quota.Ticket,
    left: Int? = nil,
    at now: Duration
  ) -> [PermitMachine.Action] {
    var notice = QuotaNotice()
    notice.isAnswer = true
    if let left { (notice.remaining, notice.resetsIn) = (left, .seconds(60)) }
    let changes = machine.giveBack(ticket, .answered(notice), now: now)
    if !changes.isEmpty { _ = machine.apply(changes, owed: [], reserving: 0, now: now) }
    return machine.advance(now: now)
  }

  @Test func `headers that allow more let no more out`() throws {
    for allowance in [Allowance(requests: 1, per: .seconds(1)), nil] {
      var machine = machine(rate(1, 1), allowance)
      var actions = come(&machine)
      for _ in 0..<4 { actions += come(&machine) }
      var open = tickets(actions)
      #expect(open.count == 1)
      for second in 0..<4 {
        let now = Duration.milliseconds(1100 * second + 100)
        let ticket = try #require(open.first)
        let next = end(&machine, ticket, left: 14 - second, at: now)
        #expect(tickets(next) == [] && next.contains(.wake(at: now + .seconds(1))))
        open = tickets(machine.wake(at: now + .seconds(1), now: now + .seconds(1)))
        #expect(open.count == 1)
      }
    }
  }

  @Test func `the ledger is asked for no more permits than the rate leaves`() {
    var machine = machine(rate(2, 10), Allowance(requests: 15, per: .seconds(60)), ledger: 7)
    let places = (0..<5).map { _ in machine.enter(turn: 0) }
    for place in places { #expect(machine.wait(place) == []) }
    #expect(machine.advance(now: .zero) == [.askLedger(2)])
    // What the ledger does not give may be taken again.
    var quota = SharedQuota(start: Quota(allowance: Allowance(requests: 15, per: .seconds(60))))
    let given = quota.reserve(1, for: 7, now: .zero).tickets
    machine.learn(quota)
    let actions = machine.take(given, denial: .waitForAnswer(until: nil), since: 0, now: .zero)
    #expect(tickets(actions).count == 1)
    #expect(machine.reserveRate(now: .zero) == nil)
    #expect(machine.reserveRate(now: .zero) == .waitForAnswer(until: .milliseconds(50)))
  }

  @Test func `a ledger that is gone keeps nothing of the rate`() {
    let rate = rate(3, 60)
    var machine = machine(rate, nil, ledger: 7)
    for _ in 0..<10 {
      #expect(come(&machine).contains(.askLedger(1)))
      _ = machine.endAskingInVain(now: .zero)
    }
    #expect((0..<4).map { _ in rate.reserve(now: .zero) } == [.send, .send, .send, .waitForAnswer])
  }

  @Test func `both forms and all scans of a process share one rate`() {
    let rate = rate(2, 60)
    var (batches, singles) = (machine(rate, nil), machine(rate, nil))
    #expect(tickets(come(&batches)).count == 1)
    #expect(tickets(come(&singles)).count == 1)
    #expect(come(&batches) == [.wake(at: .milliseconds(50))])
    #expect(come(&singles) == [.wake(at: .milliseconds(50))])
  }
}

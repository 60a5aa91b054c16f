import TestSupport
import Testing

@testable import SondeAccounts

@Suite struct LogInThrottleTests {
  private typealias Attempt = LogInThrottle.Attempt

  private let jane = AccountMark("jane@example.org")

  /// Tries with a wrong password until it is refused, and gives the number of tries that were not.
  private func fail(
    _ throttle: inout LogInThrottle,
    at now: Duration,
    _ attempt: (Int) -> LogInThrottle.Attempt
  ) -> (count: Int, wait: Duration) {
    for number in 0..<1000 {
      if case .refused(let wait) = throttle.admit(attempt(number), now) { return (number, wait) }
      throttle.end(attempt(number), .failed, now)
    }
    return (1000, .zero)
  }

  @Test func `after 10 failures of an account from one address, each try waits twice as long`() {
    var throttle = LogInThrottle()
    let attempt = Attempt(account: jane, address: .home)
    var now = Duration.seconds(5000)
    var waits: [Int64] = []
    for round in 0..<13 {
      let failed = fail(&throttle, at: now) { _ in attempt }
      #expect(failed.count == (round == 0 ? 10 : 1))
      waits.append(failed.wait.components.seconds)
      // Tries meanwhile do not count.
      for _ in 0..<5 {
        now += .milliseconds(10)
        #expect(throttle.admit(attempt, now) == .refused(retryAfter: failed.wait))
      }
      now += failed.wait - .milliseconds(50)
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
  }

  @Test func `after 30 failures from one address, whatever the accounts, the next one waits`() {
    var throttle = LogInThrottle()
    let now = Duration.seconds(5000)
    let failed = fail(&throttle, at: now) {
      Attempt(account: AccountMark("\($0)"), address: .home)
    }
    #expect(failed.count == 30 && failed.wait == .seconds(1))
    #expect(throttle.admit(Attempt(account: jane, address: .elsewhere), now) == .admitted(rank: 1))
  }

  @Test func `the right user elsewhere never waits`() {
    var throttle = LogInThrottle()
    let now = Duration.seconds(5000)
    for number in 0..<1000 {
      _ = fail(&throttle, at: now) { _ in Attempt(account: jane, address: .numbered(number)) }
    }
    #expect(throttle.admit(Attempt(account: jane, address: .home), now) == .admitted(rank: 2))
  }

  @Test func `an IPv6 network counts as one`() {
    var throttle = LogInThrottle()
    let failed = fail(&throttle, at: .seconds(5000)) { number in
      let bytes: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)]
      return Attempt(account: AccountMark("\(number)"), address: ClientAddress(bytes))
    }
    #expect(failed.count == 30)
  }

  @Test func `failures are forgotten after an hour`() {
    var throttle = LogInThrottle()
    let attempt = Attempt(account: jane, address: .home)
    #expect(fail(&throttle, at: .seconds(5000)) { _ in attempt }.count == 10)
    #expect(fail(&throttle, at: .seconds(8599)) { _ in attempt }.count == 1)
    #expect(fail(&throttle, at: .seconds(8599 + 3600)) { _ in attempt }.count == 10)
  }

  @Test func `others who log in at an address do not keep its failures alive`() {
    var throttle = LogInThrottle()
    let other = Attempt(account: AccountMark("other"), address: .home)
    _ = fail(&throttle, at: .seconds(5000)) {
      Attempt(account: AccountMark("\($0)"), address: .home)
    }
    for minute in stride(from: 5060, to: 8600, by: 60) {
      _ = throttle.admit(other, .seconds(minute))
      throttle.end(other, .succeeded, .seconds(minute))
    }
    let failed = fail(&throttle, at: .seconds(8601)) {
      Attempt(account: AccountMark("\($0)"), address: .home)
    }
    #expect(failed.count == 30)
  }

  @Test func `success forgives one's own failures alone`() {
    var throttle = LogInThrottle()
    let (own, now) = (Attempt(account: jane, address: .home), Duration.seconds(5000))
    // An account of one's own is no means to try others for ever.
    for round in 0..<3 {
      for number in 0..<9 {
        let attempt = Attempt(account: AccountMark("\(round) \(number)"), address: .home)
        #expect(throttle.admit(attempt, now) != .refused(retryAfter: .seconds(1)))
        throttle.end(attempt, .failed, now)
      }
      for outcome in [LogInThrottle.Outcome.failed, .succeeded] {
        _ = throttle.admit(own, now)
        throttle.end(own, outcome, now)
      }
    }
    let failed = fail(&throttle, at: now) {
      Attempt(account: AccountMark("\($0)"), address: .home)
    }
    #expect(failed.count == 3)
  }

  @Test func `who mistypes each day is not slowed`() {
    var throttle = LogInThrottle()
    let own = Attempt(account: jane, address: .home)
    for minute in 0..<100 {
      for outcome in [LogInThrottle.Outcome.failed, .succeeded] {
        guard case .admitted = throttle.admit(own, .seconds(5000 + minute * 60)) else {
          Issue.record("refused in minute \(minute)")
          return
        }
        throttle.end(own, outcome, .seconds(5000 + minute * 60))
      }
    }
  }

  @Test func `many at once do not pass together`() {
    var throttle = LogInThrottle()
    let (attempt, now) = (Attempt(account: jane, address: .home), Duration.seconds(5000))
    let admitted = (0..<50).filter { _ in
      throttle.admit(attempt, now) != .refused(retryAfter: .seconds(1))
    }
    #expect(admitted.count == 10)
    for _ in admitted { throttle.end(attempt, .abandoned, now) }
    #expect(throttle.admit(attempt, now) == .admitted(rank: 1))
  }

  @Test func `what was abandoned does not count`() {
    var throttle = LogInThrottle()
    let (attempt, now) = (Attempt(account: jane, address: .home), Duration.seconds(5000))
    for _ in 0..<100 {
      #expect(throttle.admit(attempt, now) == .admitted(rank: 1))
      throttle.end(attempt, .abandoned, now)
    }
  }

  @Test func `those who got in before come first, then addresses and networks without failures`() {
    var throttle = LogInThrottle()
    let now = Duration.seconds(5000)
    let other = AccountMark("other")
    let (home, away) = (
      Attempt(account: jane, address: .home), Attempt(account: jane, address: .elsewhere)
    )
    let attempts = [
      home, away, Attempt(account: other, address: .elsewhere),
      Attempt(account: other, address: ClientAddress([198, 51, 100, 2])),
      Attempt(account: other, address: .numbered(1)),
    ]
    func ranks() -> [Int] { attempts.map { throttle.rank(of: $0, now) } }
    #expect(ranks() == [1, 1, 1, 1, 1])
    _ = throttle.admit(away, now)
    #expect(ranks() == [1, 5, 5, 3, 1])
    throttle.end(away, .failed, now)
    #expect(ranks() == [2, 6, 5, 3, 1])
    _ = throttle.admit(home, now)
    throttle.end(home, .succeeded, now)
    #expect(ranks() == [0, 6, 5, 3, 1])
  }

  @Test func `tries without an account count for their address alone`() {
    var throttle = LogInThrottle()
    let now = Duration.seconds(5000)
    let nameless = Attempt(account: nil, address: .home)
    #expect(fail(&throttle, at: now) { _ in nameless }.count == 30)
    let jane = Attempt(account: AccountMark("jane@example.org"), address: .home)
    #expect(throttle.admit(jane, now) == .refused(retryAfter: .seconds(1)))
    #expect(
      throttle.admit(Attempt(account: nil, address: .elsewhere), now)
        != .refused(retryAfter: .seconds(1))
    )
    // A success among them takes no failure away.
    let later = now + .seconds(1)
    guard case .admitted = throttle.admit(nameless, later) else {
      Issue.record("refused too long")
      return
    }
    throttle.end(nameless, .succeeded, later)
    throttle.end(nameless, .failed, later)
    #expect(throttle.admit(nameless, later) == .refused(retryAfter: .seconds(2)))
  }

  @Test func `memory is bounded, and what was last stays`() {
    var throttle = LogInThrottle(capacity: 100)
    let last = Attempt(account: jane, address: .home)
    for number in 0..<10_000 {
      let attempt = Attempt(account: AccountMark("\(number)"), address: .numbered(number))
      _ = throttle.admit(attempt, .milliseconds(number))
      throttle.end(attempt, .failed, .milliseconds(number))
    }
    #expect(fail(&throttle, at: .seconds(11)) { _ in last }.count == 10)
    var table = RecentTable<Int, Int>(lifetime: .seconds(10), capacity: 100)
    for number in 0..<10_000 {
      table.set(number, to: number, .milliseconds(number))
      #expect(table.find(number, .milliseconds(number)) == number && table.count <= 100)
    }
    #expect(table.find(9_999, .seconds(21)) == nil)
  }
}

@Suite struct RegistrationLimitTests {
  @Test func `5 registrations an hour come from one address`() {
    var limit = RegistrationLimit()
    for minute in 0..<5 {
      #expect(limit.admit(.home, .seconds(minute * 60)) == nil)
      limit.end(.home, isRegistered: true, .seconds(minute * 60))
    }
    #expect(limit.admit(.home, .seconds(300)) == .seconds(3300))
    #expect(limit.admit(.elsewhere, .seconds(300)) == nil)
    #expect(limit.admit(.home, .seconds(3600)) == nil)
    limit.end(.home, isRegistered: true, .seconds(3600))
    #expect(limit.admit(.home, .seconds(3601)) == .seconds(59))
  }

  @Test func `those that did not succeed do not count, those under way do`() {
    var limit = RegistrationLimit()
    for _ in 0..<100 {
      #expect(limit.admit(.home, .zero) == nil)
      limit.end(.home, isRegistered: false, .zero)
    }
    let waits = (0..<7).map { _ in limit.admit(.home, .zero) }
    #expect(waits.suffix(3) == [nil, .seconds(1), .seconds(1)])
  }
}

@Suite struct HashOrderTests {
  @Test func `one at a time, the lowest rank first, of equals who came first`() {
    var order = HashOrder()
    #expect(order.arrive(1, rank: 4) == .begins)
    for (ticket, rank) in [(2, 4), (3, 1), (4, 0), (5, 1)] {
      #expect(order.arrive(HashOrder.Ticket(ticket), rank: rank) == .waits(displacing: nil))
    }
    let turns = (0..<5).map { _ in order.finish() }
    #expect(turns == [4, 3, 5, 2, nil])
    #expect(order.arrive(6, rank: 0) == .begins)
  }

  @Test func `16 wait; beyond, the last of a higher rank gives way`() {
    var order = HashOrder()
    for ticket in HashOrder.Ticket(0)...16 { _ = order.arrive(ticket, rank: 3) }
    #expect(order.arrive(20, rank: 3) == .refused)
    #expect(order.arrive(21, rank: 4) == .refused)
    #expect(order.arrive(22, rank: 2) == .waits(displacing: 16))
    #expect(order.arrive(23, rank: 1) == .waits(displacing: 15))
    #expect(order.finish() == 23)
    #expect(order.finish() == 22)
    #expect(order.finish() == 1)
  }

  @Test func `who leaves is passed over`() {
    var order = HashOrder()
    for ticket in HashOrder.Ticket(1)...3 { _ = order.arrive(ticket, rank: 1) }
    let haveLeft = [2, 1, 2].map { order.leave($0) }
    #expect(haveLeft == [true, false, false])
    #expect(order.finish() == 3)
    #expect(order.finish() == nil)
  }
}

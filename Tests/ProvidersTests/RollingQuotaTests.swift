import TestSupport
import Testing

@testable import SondeProviders

/// A quota whose limit holds in any stretch of time, against a server that counts so.
@Suite struct RollingQuotaTests {
  private let allowance = Allowance(requests: 10, per: .seconds(60))

  /// Sends requests as the quota lets them out, each of which takes so long, and returns when they arrived.
  private func arrivals(_ count: Int, latency: (Int) -> Duration) -> [Duration] {
    var quota = Quota(allowance: allowance, isRolling: true)
    var answer = QuotaNotice()
    answer.isAnswer = true
    var (now, arrivals): (Duration, [Duration]) = (.zero, [])
    var underWay: [(end: Duration, ticket: Quota.Ticket, outcome: Quota.Outcome)] = []
    while arrivals.count < count {
      let decision = quota.reserve(now: now)
      var wake: Duration?
      switch decision {
      case .send(let ticket):
        let number = arrivals.count
        arrivals.append(now + latency(number) / 2)
        let outcome: Quota.Outcome = number % 7 == 3 ? .lost : .answered(answer)
        underWay.append((now + latency(number), ticket, outcome))
        continue
      case .wait(let until), .spent(let until): wake = until
      case .waitForAnswer(let until): wake = until
      }
      let next = underWay.indices.min { underWay[$0].end < underWay[$1].end }
      if let next, underWay[next].end <= wake ?? underWay[next].end {
        let (end, ticket, outcome) = underWay.remove(at: next)
        now = max(now, end)
        quota.settle(ticket, outcome, now: now)
      } else {
        now = wake ?? now
      }
    }
    return arrivals.sorted()
  }

  @Test func `no stretch of a minute has more than ten requests`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<50 {
      let latencies = (0..<100).map { _ in
        Duration.milliseconds(Int.random(in: 1..<9_000, using: &generator))
      }
      let arrivals = arrivals(100) { latencies[$0] }
      for index in arrivals.indices.dropFirst(10) {
        #expect(arrivals[index] - arrivals[index - 10] >= .seconds(60))
      }
    }
  }

  @Test func `ten go out in nearly every minute`() {
    let arrivals = arrivals(100) { _ in .milliseconds(200) }
    // What is given up after less may be on its way for two seconds.
    #expect(arrivals[99] < .seconds(9 * 63))
  }

  @Test func `one a second is one a second`() {
    var quota = Quota(allowance: Allowance(requests: 1, per: .seconds(1)), isRolling: true)
    guard case .send(let ticket) = quota.reserve(now: .zero) else { return }
    #expect(quota.reserve(now: .seconds(2)) == .waitForAnswer(until: nil))
    var answer = QuotaNotice()
    answer.isAnswer = true
    quota.settle(ticket, .answered(answer), now: .seconds(3))
    #expect(quota.reserve(now: .seconds(3)) == .wait(until: .seconds(4)))
    guard case .send = quota.reserve(now: .seconds(4)) else {
      Issue.record("not sent")
      return
    }
  }

  @Test func `others who share it know when it ends`() {
    let start = Quota(allowance: allowance, isRolling: true)
    let clock = { ClockReading(steady: $0, boot: 1, wall: $0) }
    var shared = SharedQuota(bytes: [], start: start, at: clock(.zero))
    var answer = QuotaNotice()
    answer.isAnswer = true
    guard let first = shared.reserve(1, for: 7, now: .zero).tickets.first else { return }
    shared.settle(first, of: 7, .answered(answer), now: .seconds(1))
    let later = shared.reserve(9, for: 7, now: .seconds(30)).tickets
    #expect(later.count == 9)
    for ticket in later { shared.settle(ticket, of: 7, .answered(answer), now: .seconds(31)) }
    var other = SharedQuota(bytes: shared.bytes, start: start, at: clock(.seconds(61)))
    #expect(other.reserve(1, for: 8, now: .seconds(61)).denial == .wait(until: .seconds(91)))
    #expect(other.reserve(1, for: 8, now: .seconds(91)).tickets.count == 1)
  }
}

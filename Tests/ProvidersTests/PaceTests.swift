import TestSupport
import Testing

@testable import SondeProviders

@Suite struct PaceTests {
  /// Sends requests as fast as a pace lets them out, some at once; when each may have arrived.
  private func arrivals(
    _ allowance: Allowance,
    count: Int,
    concurrency: Int,
    seed: UInt64
  ) -> [Duration] {
    var generator = SeededGenerator(seed: seed)
    var pace = Pace(allowance)
    var (now, arrivals): (Duration, [Duration]) = (.zero, [])
    var ends: [Duration] = []
    while arrivals.count < count {
      var wake: Duration?
      while ends.count < concurrency, arrivals.count < count {
        let decision = pace.reserve(now: now)
        if case .wait(let until) = decision { wake = until }
        guard decision == .send else { break }
        let length = Duration.milliseconds(Int.random(in: 1...900, using: &generator))
        arrivals.append(now + length * Double.random(in: 0...1, using: &generator))
        ends.append(now + length)
      }
      ends.sort()
      guard let next = [ends.first, wake].compactMap(\.self).min() else { break }
      now = next
      if ends.first == now {
        ends.removeFirst()
        pace.settle(wasSent: true, now: now)
      }
    }
    return arrivals.sorted()
  }

  @Test func `no stretch of a window's length has more requests than are allowed`() {
    for (requests, period) in [(1, 1), (3, 1), (20, 1), (45, 60)] {
      let allowance = Allowance(requests: requests, per: .seconds(period))
      for concurrency in [1, 8, 100] {
        for seed in 1...5 as ClosedRange<UInt64> {
          let arrivals = arrivals(allowance, count: 300, concurrency: concurrency, seed: seed)
          #expect(arrivals.count == 300)
          let gaps = zip(arrivals.dropFirst(requests), arrivals).map { $0 - $1 }
          #expect(gaps.allSatisfy { $0 >= allowance.period }, "\(requests) \(concurrency) \(seed)")
        }
      }
    }
  }

  @Test func `a slot is free again as soon as its request is a window ago`() {
    var pace = Pace(Allowance(requests: 2, per: .seconds(10)))
    #expect(pace.reserve(now: .seconds(0)) == .send)
    #expect(pace.reserve(now: .seconds(4)) == .send)
    #expect(pace.reserve(now: .seconds(5)) == .waitForAnswer)
    pace.settle(wasSent: true, now: .seconds(6))
    #expect(pace.reserve(now: .seconds(7)) == .wait(until: .seconds(16)))
    pace.settle(wasSent: true, now: .seconds(8))
    #expect(pace.reserve(now: .seconds(16)) == .send)
    #expect(pace.reserve(now: .seconds(17)) == .wait(until: .seconds(18)))
  }

  @Test func `what was not sent does not count`() {
    var pace = Pace(Allowance(requests: 1, per: .seconds(60)))
    for _ in 0..<3 {
      #expect(pace.reserve(now: .zero) == .send)
      pace.settle(wasSent: false, now: .zero)
    }
  }

  @Test func `a clock that is set back keeps nobody waiting for longer than a window`() {
    var pace = Pace(Allowance(requests: 1, per: .seconds(60)))
    #expect(pace.reserve(now: .seconds(100_000)) == .send)
    pace.settle(wasSent: true, now: .seconds(100_000))
    #expect(pace.reserve(now: .seconds(5)) == .wait(until: .seconds(65)))
    #expect(pace.reserve(now: .seconds(65)) == .send)
  }

  @Test func `a pace remembers no more than a window holds`() {
    var pace = Pace(Allowance(requests: 1_000_000_000, per: .seconds(1)))
    for step in 0..<100_000 {
      #expect(pace.reserve(now: .milliseconds(step)) == .send)
      pace.settle(wasSent: true, now: .milliseconds(step))
    }
    #expect(pace.remembered <= 2000)
  }
}

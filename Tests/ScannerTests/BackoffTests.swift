import SondeSystem
import TestSupport
import Testing

@testable import SondeAsking

@Suite struct BackoffTests {
  @Test func `the bound doubles with every failure and ends`() {
    var generator = SeededGenerator(seed: 4)
    let bounds: [(Int, Double)] = [
      (-5, 0.5), (0, 0.5), (1, 0.5), (2, 1), (3, 2), (4, 4), (5, 8), (6, 16), (7, 30),
      (8, 30), (1000, 30), (.max, 30),
    ]
    for (attempt, seconds) in bounds {
      let waits = (0..<500).map { _ in
        Backoff().delay(attempt: attempt, using: &generator) / .seconds(1)
      }
      let longest = waits.max() ?? 0
      #expect(longest <= seconds && longest > seconds * 0.97, "attempt \(attempt)")
    }
  }

  @Test func `waits are spread over all of it`() {
    var generator = SeededGenerator(seed: 5)
    for (attempt, bound) in [(1, 0.5), (3, 2.0), (9, 30.0)] {
      let waits = (0..<2000).map { _ in
        Backoff().delay(attempt: attempt, using: &generator) / .seconds(1)
      }
      #expect(waits.allSatisfy { (0...bound).contains($0) })
      let mean = waits.reduce(0, +) / Double(waits.count)
      #expect(abs(mean - bound / 2) < bound / 20)
      #expect((waits.min() ?? 1) < bound / 50 && (waits.max() ?? 0) > bound * 49 / 50)
    }
  }

  @Test func `one of no time waits for nothing`() {
    let backoff = Backoff(base: .zero)
    var generator = SeededGenerator(seed: 1)
    #expect(backoff.delay(attempt: 30, using: &generator) == .zero)
  }
}

@Suite struct RequestBudgetTests {
  @Test func `requests end at the limit`() {
    let budget = RequestBudget(limit: 2)
    #expect((0..<4).map { _ in budget.spend() } == [true, true, false, false])
    #expect(budget.sent == 2)
    #expect(budget.exhaustion == "stopped after 2 requests (--max-requests)")
    #expect(!RequestBudget(limit: 0).spend())
  }

  @Test func `without a limit they only are counted`() {
    let budget = RequestBudget(limit: nil)
    for _ in 0..<1000 where !budget.spend() { Issue.record("there is no limit") }
    budget.countThrottled()
    budget.refund()
    #expect(budget.sent == 999)
    #expect(budget.throttled == 1)
  }

  @Test func `many tasks together keep within the limit`() async {
    let budget = RequestBudget(limit: 500)
    let taken = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask { (0..<100).filter { _ in budget.spend() }.count }
      }
      return await group.reduce(0, +)
    }
    #expect(taken == 500)
    #expect(budget.sent == 500)
  }
}

import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeProviders

@Suite(.timeLimit(.minutes(1))) struct QuotaGateTests {
  private let refusal = Refusal(message: "banned")

  private func gate(_ allowance: Allowance? = nil, concurrency: Int = 8) -> QuotaGate {
    var rules = AskingRules()
    rules.concurrency = concurrency
    return QuotaGate(quota: Quota(allowance: allowance), rules) { _, _ in }
  }

  private func told(_ remaining: Int, _ rest: Duration) -> Quota.Outcome {
    var notice = QuotaNotice()
    notice.remaining = remaining
    notice.resetsIn = rest
    notice.isAnswer = true
    return .answered(notice)
  }

  @Test func `waiters are let out in the order they came`() async throws {
    let gate = gate(concurrency: 1)
    let first = try await gate.acquire()
    let order = Shared<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addImmediateTask {
          guard let ticket = try? await gate.acquire() else { return }
          order.change { $0.append(number) }
          await gate.settle(ticket, .notSent)
        }
      }
      #expect(order.value == [])
      await gate.settle(first, .notSent)
    }
    #expect(order.value == Array(0..<20))
  }

  @Test func `no more than so many are under way at once`() async {
    let gate = gate(concurrency: 3)
    let counts = Shared((now: 0, most: 0, all: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<60 {
        group.addTask {
          guard let ticket = try? await gate.acquire() else { return }
          counts.change { counts in
            counts.now += 1
            counts.all += 1
            counts.most = max(counts.most, counts.now)
          }
          await Task.yield()
          counts.change { $0.now -= 1 }
          await gate.settle(ticket, .answered(QuotaNotice()))
        }
      }
    }
    #expect(counts.value.all == 60)
    #expect(counts.value.most == 3)
  }

  @Test func `until a window's first answer is in one request is under way`() async throws {
    let gate = gate(Allowance(requests: 15, per: .seconds(60)))
    let opener = try await gate.acquire()
    let out = Shared(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addImmediateTask {
          guard (try? await gate.acquire()) != nil else { return }
          out.change { $0 += 1 }
        }
      }
      #expect(out.value == 0)
      await gate.settle(opener, told(4, .seconds(60)))
      try? await waitUntil { out.value >= 4 }
      gate.close(.refused(refusal))
    }
    #expect(out.value == 4)
  }

  @Test func `one that is cancelled leaves the queue and no other`() async throws {
    let gate = gate(concurrency: 1)
    let first = try await gate.acquire()
    let results = Shared<[String]>([])
    let waiters = (0..<3).map { number in
      Task.immediate {
        do {
          try await gate.settle(gate.acquire(), .notSent)
          results.change { $0.append("\(number) out") }
        } catch {
          results.change { $0.append("\(number) \(error is CancellationError)") }
        }
      }
    }
    waiters[1].cancel()
    await waiters[1].value
    #expect(results.value == ["1 true"])
    await gate.settle(first, .notSent)
    for waiter in waiters { await waiter.value }
    #expect(results.value == ["1 true", "0 out", "2 out"])
  }

  @Test func `one that is cancelled already does not get in`() async {
    let gate = gate()
    let isCancelled = await Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      do {
        _ = try await gate.acquire()
        return false
      } catch {
        return error is CancellationError
      }
    }.value
    #expect(isCancelled)
  }

  @Test func `a refusal sends away all who wait and all who come`() async throws {
    let gate = gate(concurrency: 1)
    let first = try await gate.acquire()
    let refused = await withTaskGroup(of: Refusal?.self) { group in
      for _ in 0..<5 {
        group.addImmediateTask {
          do {
            _ = try await gate.acquire()
            return nil
          } catch {
            guard case .refused(let refusal)? = error as? PermitMachine.Denial else { return nil }
            return refusal
          }
        }
      }
      gate.close(.refused(refusal))
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refused == Array(repeating: refusal, count: 5))
    await gate.settle(first, .answered(QuotaNotice()))
    await #expect(throws: PermitMachine.Denial.refused(refusal)) { _ = try await gate.acquire() }
  }

  @Test func `a spent window is waited out, and the wait is told once`() async throws {
    let waits = Shared<[Int]>([])
    let quota = Quota(allowance: Allowance(requests: 2, per: .milliseconds(150)))
    let gate = QuotaGate(quota: quota, AskingRules()) { _, remaining in
      waits.change { $0.append(remaining) }
    }
    let start = ContinuousClock.now
    for _ in 0..<3 { try await gate.settle(gate.acquire(), .answered(QuotaNotice())) }
    let elapsed = ContinuousClock.now - start
    #expect(elapsed >= .milliseconds(150) && elapsed < .seconds(5))
    #expect(waits.value == [0])
  }

  @Test func `a wait of more than an hour is not waited for`() async throws {
    let gate = gate(Allowance(requests: 1000, per: .seconds(86_400)))
    try await gate.settle(gate.acquire(), told(0, .seconds(7200)))
    do {
      _ = try await gate.acquire()
      Issue.record("there is a permit")
    } catch PermitMachine.Denial.spent(let wait) {
      #expect(wait > .seconds(7100) && wait <= .seconds(7200))
    }
  }
}

extension QuotaGate {
  /// Takes a place and waits for leave, while the way is open.
  func acquire() async throws -> Quota.Ticket {
    try await acquire(enter(turn: 0), while: { true })
  }
}

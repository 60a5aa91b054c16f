import SondeReachability
import Testing

@testable import SondeAlerts

@Suite struct DeliveryScheduleTests {
  private let start = ContinuousClock.now
  private var generator = SystemRandomNumberGenerator()

  private func schedule(_ verdict: Verdict = .online, isExposed: Bool = false) -> DeliverySchedule {
    var schedule = DeliverySchedule(isExposed: isExposed)
    _ = schedule.set(verdict)
    return schedule
  }

  @Test func `alerts are sent in every state but an unknown one and a login page`() {
    #expect(DeliverySchedule(isExposed: false).step(now: start) == .rest)
    for cause in OfflineCause.allCases {
      #expect(schedule(.offline(cause)).step(now: start) == .send)
      let expected: DeliverySchedule.Step = cause == .captivePortal ? .rest : .send
      #expect(schedule(.offline(cause), isExposed: true).step(now: start) == expected)
    }
    #expect(schedule(isExposed: true).step(now: start) == .send)
  }

  @Test mutating func `pauses double to 5 minutes, a fifth more or less`() {
    var schedule = schedule()
    var pauses: Set<Duration> = []
    for (index, usual) in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].enumerated() {
      if index.isMultiple(of: 2) {
        schedule.goUnanswered(since: schedule.returns, now: start, using: &generator)
      } else {
        schedule.postpone(by: nil, now: start, using: &generator)
      }
      guard case .wait(let moment) = schedule.step(now: start) else {
        Issue.record("nothing is waited for")
        return
      }
      let pause = (moment - start) / .seconds(usual)
      #expect(pause >= 0.8 && pause <= 1.2)
      pauses.insert(moment - start)
      #expect(schedule.step(now: moment) == .send)
    }
    #expect(pauses.count == 12)
    schedule.succeed(now: start)
    #expect(schedule.step(now: start) == .send)
  }

  @Test mutating func `the connection of an answer is used again for a second`() {
    var schedule = schedule()
    #expect(!schedule.keepsConnection(now: start))
    schedule.succeed(now: start)
    #expect(schedule.keepsConnection(now: start + .milliseconds(999)))
    #expect(!schedule.keepsConnection(now: start + .seconds(1)))
    _ = schedule.set(.offline(.linkDown))
    #expect(!schedule.keepsConnection(now: start))
    schedule.succeed(now: start)
    schedule.goUnanswered(since: schedule.returns, now: start, using: &generator)
    #expect(!schedule.keepsConnection(now: start))
  }

  @Test mutating func `a requested wait is kept, and does not lengthen the next one`() {
    var schedule = schedule()
    for _ in 0..<5 {
      schedule.postpone(by: .milliseconds(300), now: start, using: &generator)
      #expect(schedule.step(now: start) == .wait(until: start + .milliseconds(300)))
    }
    schedule.postpone(by: nil, now: start, using: &generator)
    #expect(schedule.step(now: start + .milliseconds(1200)) == .send)
  }

  @Test mutating func `a return ends the wait after silence, and none that an answer set`() {
    var schedule = schedule(.offline(.linkDown))
    for _ in 0..<9 { schedule.goUnanswered(since: 0, now: start, using: &generator) }
    let (isBack, isNews) = (schedule.set(.online), schedule.set(.online))
    #expect(isBack && !isNews && schedule.step(now: start) == .send)
    // It began before the return.
    schedule.goUnanswered(since: 0, now: start, using: &generator)
    #expect(schedule.step(now: start) == .send)
    schedule.goUnanswered(since: 1, now: start, using: &generator)
    #expect(schedule.step(now: start + .milliseconds(1200)) == .send)
    #expect(schedule.step(now: start) != .send)
    schedule.postpone(by: .seconds(9), now: start, using: &generator)
    _ = schedule.set(.offline(.noRoute))
    _ = schedule.set(.online)
    #expect(schedule.step(now: start) == .wait(until: start + .seconds(9)))
  }

  @Test func `the first state is no return`() {
    var schedule = DeliverySchedule(isExposed: false)
    let isBack = schedule.set(.online)
    #expect(!isBack && schedule.returns == 0)
  }
}

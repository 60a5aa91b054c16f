import Testing

@testable import SondeAlerts
@testable import sonde

@Suite struct DeliveryScheduleTests {
  private let start = ContinuousClock.now
  private var generator = SystemRandomNumberGenerator()

  @Test func `nothing is sent before the network is there`() {
    var schedule = DeliverySchedule()
    #expect(schedule.step(now: start) == .rest)
    schedule.setOnline(true)
    #expect(schedule.step(now: start) == .send)
    schedule.setOnline(false)
    #expect(schedule.step(now: start) == .rest)
  }

  @Test mutating func `pauses grow to a minute, and at least half of one is kept`() {
    var schedule = DeliverySchedule()
    schedule.setOnline(true)
    for longest in [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60] {
      schedule.fail(now: start, using: &generator)
      guard case .wait(let moment) = schedule.step(now: start) else {
        Issue.record("nothing is waited for")
        return
      }
      let pause = moment - start
      #expect(pause >= .seconds(longest) / 2 && pause <= .seconds(longest))
      #expect(schedule.step(now: moment) == .send)
    }
    #expect(schedule.failures == 12)
  }

  @Test mutating func `a success or a return of the network makes up for failures`() {
    var schedule = DeliverySchedule()
    schedule.setOnline(true)
    schedule.fail(now: start, using: &generator)
    schedule.setOnline(true)
    #expect(schedule.step(now: start) != .send)
    schedule.setOnline(false)
    schedule.setOnline(true)
    #expect(schedule.step(now: start) == .send)
    schedule.fail(now: start, using: &generator)
    schedule.succeed()
    #expect(schedule.step(now: start) == .send && schedule.failures == 0)
  }
}

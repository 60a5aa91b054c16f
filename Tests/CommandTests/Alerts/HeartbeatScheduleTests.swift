import SondeReachability
import Testing

@testable import SondeAlerts

@Suite struct HeartbeatScheduleTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func `one is sent at the start, at every interval, and none while offline`() {
    var schedule = HeartbeatSchedule(interval: .seconds(60))
    #expect(schedule.beat(now: at(0)) == nil && schedule.due == nil)
    schedule.take(.online, now: at(0))
    #expect(schedule.beat(now: at(0)) == .online)
    #expect(schedule.beat(now: at(59)) == nil && schedule.due == at(60))
    schedule.take(.degraded(.slow), now: at(59))
    #expect(schedule.beat(now: at(59)) == nil)
    #expect(schedule.beat(now: at(60)) == .degraded(.slow))
    schedule.take(.offline(.linkDown), now: at(70))
    #expect(schedule.beat(now: at(200)) == nil && schedule.due == nil)
    schedule.take(.online, now: at(200))
    #expect(schedule.beat(now: at(200)) == .online && schedule.due == at(260))
  }

  @Test func `what was due while one was under way is skipped, but not the return of the network`()
  {
    var schedule = HeartbeatSchedule(interval: .seconds(1))
    schedule.take(.online, now: at(0))
    #expect(schedule.beat(now: at(0)) == .online)
    schedule.end(now: at(8))
    #expect(schedule.beat(now: at(8)) == nil && schedule.due == at(9))
    #expect(schedule.beat(now: at(9)) == .online)
    schedule.take(.offline(.linkDown), now: at(10))
    schedule.take(.online, now: at(11))
    schedule.end(now: at(12))
    #expect(schedule.beat(now: at(12)) == .online)
  }

  @Test func `the URL contains the state`() {
    let url = Heartbeat.url("http://h/a?s={{state}}&t={{state}}", in: .degraded(.lossy))
    #expect(url == "http://h/a?s=degraded&t=degraded")
    #expect(Heartbeat.url("http://h/{{states}}", in: .online) == "http://h/{{states}}")
  }
}

import Testing

@testable import SondeAlerts

@Suite struct AlertAgeTests {
  private let now = Duration.seconds(1_795_000_000)
  private let day = Duration.seconds(86_400)

  @Test func `an alert is over after 7 days of the clock that is never set`() {
    let age = AlertAge(raisedAt: .seconds(5))
    #expect(!age.isOver(at: .seconds(5) + day * 7))
    #expect(age.isOver(at: .seconds(6) + day * 7))
  }

  @Test func `one of an earlier run is as old as its file`() {
    let age = AlertAge(written: now - day * 3, wall: now, steady: .seconds(5))
    #expect(age.age(at: .seconds(5)) == day * 3)
    #expect(age.age(at: .seconds(5) + day) == day * 4)
  }

  @Test func `a machine that did not know the time ages none`() {
    #expect(AlertAge(written: .seconds(100), wall: now, steady: .zero).age(at: .zero) == .zero)
    #expect(AlertAge(written: now, wall: .seconds(100), steady: .zero).age(at: .zero) == .zero)
  }

  @Test func `a clock that is set is noticed once`() {
    var clock = ClockWatch(wall: .seconds(100), steady: .zero)
    let noticed = [
      clock.wasSet(wall: .seconds(5101), steady: .seconds(5000)),
      clock.wasSet(wall: now, steady: .seconds(5001)),
      clock.wasSet(wall: now + day, steady: .seconds(5001) + day),
      clock.wasSet(wall: now, steady: .seconds(5001) + day),
    ]
    #expect(noticed == [false, true, false, true])
  }
}

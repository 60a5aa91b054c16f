import TestSupport
import Testing

@testable import SondeStore

@Suite struct SharedClockTests {
  private static func learnt(
    _ readings: [(time: Duration, sent: Duration, received: Duration)]
  ) -> SharedClock {
    var clock = SharedClock()
    for reading in readings {
      clock.learn(reading.time, sent: reading.sent, received: reading.received)
    }
    return clock
  }

  @Test func `before it has answered it tells nothing`() {
    #expect(SharedClock().time(at: .seconds(1)) == nil)
  }

  @Test func `it is never ahead, however long the way back takes`() {
    // It showed 1,000 s right after it was asked, and the answer took 400 ms.
    let clock = Self.learnt([(.seconds(1000), .seconds(10), .milliseconds(10_400))])
    #expect(clock.time(at: .milliseconds(10_400)) == .seconds(1000))
  }

  @Test func `a quicker answer tells it better, and a slower one nothing`() {
    let clock = Self.learnt([
      (.seconds(1000), .seconds(10), .milliseconds(10_400)),
      (.seconds(1001), .seconds(11), .milliseconds(11_001)),
      (.seconds(1002), .seconds(12), .milliseconds(12_900)),
    ])
    let time = clock.time(at: .seconds(13)) ?? .zero
    #expect(time <= .seconds(1003) && time > .milliseconds(1_002_998))
  }

  @Test func `it is slowed where it has not answered for long, for clocks drift`() {
    let clock = Self.learnt([(.seconds(1000), .seconds(10), .seconds(10))])
    #expect(clock.time(at: .seconds(10_010)) == .seconds(10_999))
  }

  @Test func `one that was set back is followed at once`() {
    let clock = Self.learnt([
      (.seconds(1000), .seconds(10), .seconds(10)), (.seconds(500), .seconds(11), .seconds(11)),
    ])
    #expect(clock.time(at: .seconds(11)) == .seconds(500))
  }

  @Test func `how far it may be behind is known, and a quicker answer makes it less`() {
    let slow = (
      time: Duration.seconds(1000), sent: Duration.seconds(10),
      received: Duration.milliseconds(10_400)
    )
    #expect(Self.learnt([slow]).lag(at: .milliseconds(10_400)) == .milliseconds(400))
    let quick = (
      time: Duration.seconds(1001), sent: Duration.seconds(11),
      received: Duration.milliseconds(11_001)
    )
    let clock = Self.learnt([slow, quick])
    #expect(clock.lag(at: .milliseconds(11_001)) <= .milliseconds(1))
    #expect(clock.lag(at: .milliseconds(11_001)) >= .zero)
    // Clocks drift apart.
    #expect(clock.lag(at: .seconds(10_011)) >= .seconds(1))
    #expect(SharedClock().lag(at: .seconds(1)) == .zero)
  }

  @Test func `the other clock is always between what it tells and that and its lag`() {
    var generator = SeededGenerator(seed: 3)
    var clock = SharedClock()
    var (now, lead) = (Duration.seconds(100), Duration.seconds(5000))
    var wrong = 0
    for _ in 0..<20_000 {
      now += .milliseconds(Int.random(in: 1...3000, using: &generator))
      // It drifts, and is set forward or back now and then.
      lead += .nanoseconds(Int.random(in: -50_000...50_000, using: &generator))
      let isSet = Int.random(in: 0..<500, using: &generator) == 0
      if isSet { lead += .seconds(Int.random(in: -90...90, using: &generator)) }
      let (there, back) = (
        Duration.microseconds(Int.random(in: 50...90_000, using: &generator)),
        Duration.microseconds(Int.random(in: 50...90_000, using: &generator))
      )
      clock.learn(now + there + lead, sent: now, received: now + there + back)
      now += there + back
      let (time, lag) = (clock.time(at: now) ?? .zero, clock.lag(at: now))
      if time > now + lead + .nanoseconds(1) || time + lag + .nanoseconds(1) < now + lead {
        wrong += 1
      }
    }
    #expect(wrong == 0)
  }

  @Test func `it tells whole nanoseconds, as they are written`() {
    let clock = Self.learnt([(.seconds(1000), .seconds(10), .seconds(10))])
    let time = clock.time(at: .seconds(10) + .nanoseconds(12_345)) ?? .zero
    #expect(time.components.attoseconds % 1_000_000_000 == 0)
  }
}

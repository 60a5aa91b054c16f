import Testing

@testable import Store

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

  @Test func `it tells whole nanoseconds, as they are written`() {
    let clock = Self.learnt([(.seconds(1000), .seconds(10), .seconds(10))])
    let time = clock.time(at: .seconds(10) + .nanoseconds(12_345)) ?? .zero
    #expect(time.components.attoseconds % 1_000_000_000 == 0)
  }
}

import Testing

@testable import SondeStore

@Suite struct SharedPresenceTests {
  private let start = ContinuousClock.now

  private func outage(at seconds: Double, _ reason: String = "gone") -> LedgerOutage {
    LedgerOutage(place: "redis://h", reason: reason, began: start + .seconds(seconds))
  }

  private func moment(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func `the first loss is told, and what fails meanwhile is no other`() {
    let presence = Presence()
    #expect(presence.outage == nil)
    let loss = outage(at: 0)
    #expect(presence.lose(loss, now: moment(0)))
    #expect(presence.lose(outage(at: 1, "otherwise"), now: moment(1)) == false)
    #expect(presence.outage == loss)
    presence.find(now: moment(61))
    #expect(presence.outage == nil)
  }

  @Test func `a loss within ten seconds of a return is the same outage, and is not told`() {
    let presence = Presence()
    _ = presence.lose(outage(at: 0), now: moment(0))
    presence.find(now: moment(2))
    for turn in 0..<5 {
      let lost = 4.0 + 10 * Double(turn)
      #expect(presence.lose(outage(at: lost, "again"), now: moment(lost)))
      #expect(presence.outage?.isContinued == true)
      #expect(presence.outage?.began == moment(0))
      #expect(presence.outage?.reason == "again")
      presence.find(now: moment(lost + 9))
    }
  }

  @Test func `a loss after ten seconds is another one`() {
    let presence = Presence()
    _ = presence.lose(outage(at: 0), now: moment(0))
    presence.find(now: moment(2))
    _ = presence.lose(outage(at: 12), now: moment(12))
    #expect(presence.outage == outage(at: 12))
  }

  @Test func `it is looked for twice a second, and less often where it comes and goes`() {
    let presence = Presence()
    _ = presence.lose(outage(at: 0), now: moment(0))
    #expect(
      (0..<5).map { _ in presence.nextPause() }
        == [100, 200, 400, 500, 500].map { .milliseconds($0) }
    )
    var pauses: [Duration] = []
    for turn in 1...5 {
      presence.find(now: moment(Double(turn)))
      _ = presence.lose(outage(at: Double(turn) + 0.5), now: moment(Double(turn) + 0.5))
      pauses.append(presence.nextPause())
    }
    #expect(pauses == [1, 2, 4, 4, 4].map { .seconds($0) })
    // Who was there for long begins anew.
    presence.find(now: moment(10))
    _ = presence.lose(outage(at: 30), now: moment(30))
    #expect(presence.nextPause() == .milliseconds(100))
  }
}

/// A presence that tests may change within an expectation.
private final class Presence {
  private var value = SharedPresence()

  var outage: LedgerOutage? { value.outage }

  func lose(_ loss: LedgerOutage, now: ContinuousClock.Instant) -> Bool {
    value.lose(loss, now: now)
  }
  func find(now: ContinuousClock.Instant) { value.find(now: now) }
  func nextPause() -> Duration { value.nextPause() }
}

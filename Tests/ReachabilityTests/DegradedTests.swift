import Testing

@testable import SondeReachability

/// The verdict machine where the quality of the path is judged.
@Suite struct DegradedTests {
  private static let limits = DegradedLimits(loss: 0.3, connect: .milliseconds(300))

  private func watching() -> Scenario {
    var scenario = Scenario(probeInterval: .seconds(1), limits: Self.limits)
    scenario.see(.working)
    scenario.answer(.provedOpen, connect: .milliseconds(10))
    return scenario
  }

  /// Plays a probe a second; `false` is one that is never answered.
  private func play(_ answers: [Bool], on scenario: inout Scenario, connect: Int = 10) {
    for isAnswered in answers {
      scenario.wait(.seconds(1))
      if isAnswered {
        scenario.answer(.provedOpen, connect: .milliseconds(connect))
      }
    }
  }

  @Test func `a probe begins at each second, also while earlier ones wait`() {
    var scenario = watching()
    play(Array(repeating: false, count: 5), on: &scenario)
    #expect(scenario.started == 6)
    #expect(scenario.story == ["online"])
  }

  @Test func `ten failures in a row are an outage, and nine are none`() {
    var scenario = watching()
    play(Array(repeating: false, count: 12), on: &scenario)
    // Nine have timed out, each after three seconds.
    #expect(scenario.story == ["online"])
    play([false], on: &scenario)
    scenario.wait(.milliseconds(1))
    #expect(scenario.story == ["online", "unreachable"])
    play([true], on: &scenario)
    #expect(scenario.story == ["online", "unreachable", "online"])
    #expect(scenario.told.last?.quality == PathQuality(loss: 0, connect: .milliseconds(10)))
  }

  @Test func `packets lost in an outage are no loss after it`() {
    var scenario = watching()
    play(Array(repeating: false, count: 13), on: &scenario)
    scenario.wait(.milliseconds(1))
    #expect(scenario.story == ["online", "unreachable"])
    scenario.wait(.seconds(1))
    scenario.answer(.provedOpen, connect: .milliseconds(1010), isResent: true)
    #expect(scenario.told.last?.quality == PathQuality(loss: 0, connect: .milliseconds(1010)))
  }

  @Test func `a path that loses packets is degraded and comes back`() {
    var scenario = watching()
    play(Array(repeating: [true, false], count: 12).joined() + [true, true, true], on: &scenario)
    #expect(scenario.story == ["online", "lossy"])
    let lossy = scenario.told[1]
    #expect(lossy.verdict.isOnline && lossy.previous == .online && lossy.downTime == nil)
    #expect(lossy.quality?.loss ?? 0 >= 0.3)
    play(Array(repeating: true, count: 30), on: &scenario)
    #expect(scenario.story == ["online", "lossy", "online"])
    let back = scenario.told[2]
    #expect(back.degradedTime == back.began.steady - lossy.began.steady)
    #expect(back.downTime == nil && back.quality?.loss ?? 1 < 0.2)
    #expect(scenario.machine.losses.losses == 0)
  }

  @Test func `an outage ends what was degraded, and the window begins anew`() {
    var scenario = watching()
    play(Array(repeating: true, count: 25), on: &scenario, connect: 500)
    #expect(scenario.story == ["online", "slow"])
    scenario.see(.cut)
    #expect(scenario.story == ["online", "slow", "link_down"])
    #expect(scenario.told[2].degradedTime != nil)
    scenario.see(.working)
    #expect(scenario.story.last == "online" && scenario.told[3].degradedTime == nil)
    play(Array(repeating: true, count: 18), on: &scenario, connect: 500)
    #expect(scenario.story.last == "online")
    play(Array(repeating: true, count: 3), on: &scenario, connect: 500)
    #expect(scenario.story.last == "slow" && scenario.told.last?.downTime == nil)
  }

  @Test func `at the start, a lost packet is no loss of the network`() {
    var scenario = Scenario(probeInterval: .seconds(1), limits: Self.limits)
    scenario.see(.working)
    scenario.wait(.milliseconds(500))
    #expect(scenario.started == 3)
    scenario.answer(.provedOpen, connect: .milliseconds(10))
    #expect(scenario.story == ["online"])
    scenario.wait(.milliseconds(900))
    #expect(scenario.started == 3)
    var silent = Scenario(probeInterval: .seconds(1), limits: Self.limits)
    silent.see(.working)
    silent.wait(.seconds(1))
    #expect(silent.story == ["unreachable"])
  }

  private func continuing() -> Scenario {
    var scenario = Scenario(probeInterval: .seconds(1), limits: Self.limits, after: .lossy)
    scenario.see(.working)
    return scenario
  }

  @Test func `a path that was degraded when it was last watched still is, until it is judged`() {
    var scenario = continuing()
    scenario.answer(.provedOpen, connect: .milliseconds(10))
    #expect(scenario.story == ["lossy"] && scenario.told[0].previous == nil)
    #expect(scenario.told[0].quality == nil)
    play(Array(repeating: true, count: 18), on: &scenario)
    #expect(scenario.story == ["lossy"])
    play([true, true], on: &scenario)
    #expect(scenario.story == ["lossy", "online"])
    #expect(scenario.told[1].quality?.loss == 0 && scenario.told[1].degradedTime != nil)
    // One that is as bad as before is not reported again.
    scenario = continuing()
    scenario.answer(.provedOpen, connect: .milliseconds(10))
    play(Array(Array(repeating: [true, false], count: 20).joined()), on: &scenario)
    #expect(scenario.story == ["lossy"])
  }

  @Test func `silence at the start of a lossy path is no outage, and ten failures are one`() {
    var scenario = continuing()
    scenario.wait(.seconds(1))
    #expect(scenario.story == ["lossy"])
    // Each probe waits for three seconds.
    scenario.wait(.seconds(4))
    #expect(scenario.story == ["lossy"])
    for _ in 0..<60 where scenario.story.count == 1 { scenario.wait(.milliseconds(250)) }
    #expect(scenario.story == ["lossy", "unreachable"])
    // What comes after the outage is another path.
    play([true], on: &scenario)
    #expect(scenario.story == ["lossy", "unreachable", "online"])
    var cut = Scenario(probeInterval: .seconds(1), limits: Self.limits, after: .lossy)
    cut.see(.cut)
    #expect(cut.story == ["link_down"])
    cut.see(.working)
    #expect(cut.story == ["link_down", "online"])
  }
}

import Testing

@testable import SondeReachability

@Suite struct SettlingTests {
  private func flapping(settle: Duration) -> Scenario {
    var scenario = Scenario.online(settle: settle)
    scenario.wait(.seconds(5))
    for _ in 0..<25 {
      scenario.see(.cut)
      scenario.wait(.milliseconds(100))
      scenario.see(.working)
      scenario.wait(.milliseconds(100))
    }
    return scenario
  }

  @Test func `without settling no flap is lost`() {
    let scenario = flapping(settle: .zero)
    #expect(
      scenario.story == ["online"] + Array(repeating: ["link_down", "online"], count: 25).joined()
    )
    #expect(scenario.machine.losses.losses == 25)
    let now = Moment(steady: .seconds(5000), wall: .zero)
    #expect(scenario.machine.losses.offlineTime(now: now) == .milliseconds(2500))
  }

  @Test func `with settling flaps tell nothing`() {
    #expect(flapping(settle: .seconds(1)).story == ["online"])
  }

  @Test func `a loss that lasts is told late, with its true beginning`() {
    var scenario = Scenario.online(settle: .seconds(1))
    scenario.wait(.seconds(10))
    scenario.see(.cut)
    scenario.wait(.milliseconds(999))
    #expect(scenario.story == ["online"])
    scenario.wait(.milliseconds(1))
    #expect(scenario.story == ["online", "link_down"])
    #expect(scenario.told.last?.began.steady == .seconds(1010))
    scenario.see(.working)
    scenario.answer(.provedOpen)
    scenario.wait(.seconds(2))
    #expect(scenario.told.last?.downTime == .seconds(1))
  }

  @Test func `a return too short to settle does not make two losses of one`() {
    var scenario = Scenario.online(settle: .seconds(1))
    scenario.see(.cut)
    scenario.wait(.seconds(3))
    scenario.see(.working)
    scenario.wait(.milliseconds(500))
    scenario.see(.cut)
    scenario.wait(.seconds(3))
    #expect(scenario.story == ["online", "link_down"])
    #expect(scenario.machine.losses.losses == 1)
  }

  @Test func `causes that change all the time do not hide that the network is gone`() {
    var scenario = Scenario.online(settle: .seconds(1))
    for _ in 0..<10 {
      scenario.see(.setDown)
      scenario.wait(.milliseconds(200))
      scenario.see(.withoutRoute)
      scenario.wait(.milliseconds(200))
    }
    #expect(scenario.story.first == "online")
    #expect(scenario.told.count == 2)
    #expect(scenario.told.last?.verdict.isOnline == false)
  }

  @Test func `a cause is corrected only once it lasts`() {
    var scenario = Scenario.online()
    scenario.see(.setDown)
    scenario.see(.empty)
    scenario.see(.withoutRoute)
    #expect(scenario.story == ["online", "link_down"])
    scenario.wait(.milliseconds(15))
    #expect(scenario.story == ["online", "link_down", "no_route"])
    #expect(scenario.told.last?.lost == scenario.told.dropLast().last?.lost)
  }

  @Test func `the time offline includes the loss that lasts`() {
    var scenario = Scenario.online()
    scenario.see(.cut)
    let later = Moment(steady: .seconds(1007), wall: .zero)
    #expect(scenario.machine.losses.offlineTime(now: later) == .seconds(7))
  }
}

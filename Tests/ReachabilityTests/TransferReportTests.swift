import Testing

@testable import SondeReachability

@Suite struct TransferReportTests {
  @Test(arguments: [Finding.notResolved, .timedOut, .noRoute])
  func `a transfer that finds no way closes it, and a probe looks for the return`(finding: Finding)
  {
    var scenario = Scenario.online()
    scenario.wait(.seconds(1))
    scenario.report(finding)
    #expect(scenario.story == ["online", "unreachable"])
    scenario.answer(.timedOut)
    scenario.wait(.milliseconds(500))
    scenario.answer(.provedOpen)
    #expect(scenario.story == ["online", "unreachable", "online"])
  }

  @Test func `one failure amid answers is checked before it is believed`() {
    var open = Scenario.online()
    open.wait(.seconds(1))
    open.report(.answered)
    open.report(.timedOut)
    open.answer(.provedOpen)
    #expect(open.story == ["online"])

    var silent = Scenario.online()
    silent.wait(.seconds(1))
    silent.report(.answered)
    silent.report(.timedOut)
    silent.answer(.timedOut)
    #expect(silent.story == ["online", "unreachable"])
  }

  @Test(arguments: [Finding.answered, .provedOpen])
  func `any proof of the way opens it`(finding: Finding) {
    var scenario = Scenario.online()
    scenario.report(.timedOut)
    scenario.report(finding)
    #expect(scenario.story == ["online", "unreachable", "online"])
  }

  @Test func `what was under way when the link broke proves nothing`() {
    var scenario = Scenario.online()
    scenario.see(.cut)
    scenario.report(.answered)
    scenario.report(.loginPage)
    #expect(scenario.story == ["online", "link_down"])
  }

  @Test func `a login page is left behind by a proper answer only`() {
    var scenario = Scenario.online()
    scenario.report(.loginPage)
    scenario.report(.provedOpen)
    #expect(scenario.story == ["online", "captive_portal"])
    scenario.report(.answered)
    #expect(scenario.story == ["online", "captive_portal", "online"])
  }

  @Test func `each login page found anew is tried more rarely`() {
    var scenario = Scenario.online()
    var delays: [Int] = []
    for _ in 0..<6 {
      scenario.report(.loginPage)
      var seconds = 0
      while scenario.probes.isEmpty, seconds < 100 {
        scenario.wait(.seconds(1))
        seconds += 1
      }
      scenario.answer(.provedOpen)
      delays.append(seconds)
    }
    #expect(delays == [1, 2, 4, 8, 16, 30])
  }

  @Test func `probes back off while nothing answers`() {
    var scenario = Scenario.online()
    scenario.wait(.seconds(1))
    scenario.report(.timedOut)
    scenario.answer(.timedOut)
    var delays: [Int] = []
    for _ in 0..<6 {
      var tenths = 0
      while scenario.probes.isEmpty, tenths < 1000 {
        scenario.wait(.milliseconds(100))
        tenths += 1
      }
      scenario.answer(.noRoute)
      delays.append(tenths)
    }
    #expect(delays == [5, 10, 20, 40, 50, 50])
  }

  @Test func `a probe that never ends counts as silence`() {
    var scenario = Scenario.online()
    scenario.wait(.seconds(30))
    #expect(scenario.probes.count == 1)
    scenario.wait(.seconds(3))
    #expect(scenario.story == ["online", "unreachable"])
  }

  @Test func `without probes nothing is connected to, but for doubts`() {
    var scenario = Scenario.online(probeInterval: .zero)
    scenario.wait(.seconds(1))
    scenario.see(.cut)
    scenario.see(.working)
    scenario.wait(.milliseconds(200))
    scenario.answer(.inconclusive)
    scenario.wait(.seconds(1000))
    #expect(scenario.connecting == 0)
    #expect(scenario.story == ["online", "link_down", "online"])
    scenario.report(.timedOut)
    #expect(scenario.connecting == 1)
  }

  @Test func `live transfers make regular probes needless`() {
    var scenario = Scenario.online()
    for _ in 0..<100 {
      scenario.wait(.seconds(10))
      scenario.report(.answered)
    }
    #expect(scenario.started == 1)
  }
}

import Testing

@testable import SondeReachability

@Suite struct VerdictMachineTests {
  @Test func `a broken layer is told at once and by name`() {
    let causes: [(View, String)] = [
      (.empty, "no_interface"), (.cut, "link_down"), (.setDown, "link_down"),
      (.withoutAddress, "no_address"), (.withoutRoute, "no_route"),
    ]
    for (view, cause) in causes {
      var start = Scenario()
      start.see(view)
      #expect(start.story == [cause])
      var later = Scenario.online()
      later.see(view)
      #expect(later.story == ["online", cause])
    }
  }

  @Test func `a store that machines share is the cause while the path is open`() {
    let outage = NetworkOutage(place: "redis://h:6379/0", reason: "it closed the connection")
    var scenario = Scenario.online()
    scenario.lack(outage)
    #expect(scenario.story == ["online", "shared_unreachable"])
    #expect(scenario.told.last?.reason == outage.reason)
    #expect(scenario.told.last?.endpoint == outage.place && scenario.told.last?.interface == nil)
    // A layer below counts first, and what is still gone is told when that is back.
    scenario.see(.cut)
    scenario.wait(.milliseconds(20))
    #expect(scenario.told.last?.endpoint == "provider:80")
    scenario.see(.working)
    scenario.wait(.milliseconds(20))
    #expect(scenario.story.suffix(2) == ["link_down", "shared_unreachable"])
    scenario.lack(nil)
    #expect(scenario.story.last == "online" && scenario.told.last?.outage == nil)
    #expect(scenario.told.last?.endpoint == "provider:80")
  }

  @Test func `the first verdict waits for the probe, a second at most`() {
    var silent = Scenario()
    silent.see(.working)
    silent.wait(.milliseconds(999))
    #expect(silent.story == [])
    silent.wait(.milliseconds(1))
    #expect(silent.story == ["unreachable"])
    silent.answer(.provedOpen)
    #expect(silent.story == ["unreachable", "online"])
  }

  @Test func `each finding of the first probe gives its verdict`() {
    let verdicts: [Finding: String] = [
      .answered: "online", .provedOpen: "online", .inconclusive: "online",
      .notResolved: "unreachable", .timedOut: "unreachable", .noRoute: "unreachable",
      .notPermitted: "unreachable", .loginPage: "captive_portal",
    ]
    #expect(verdicts.count == Finding.allCases.count)
    for (finding, verdict) in verdicts {
      var scenario = Scenario()
      scenario.see(.working)
      scenario.answer(finding)
      #expect(scenario.story == [verdict])
      #expect(scenario.told[0].finding == (verdict == "online" ? nil : finding))
    }
  }

  @Test func `a loss is told with what was found out, and a broken layer with nothing of it`() {
    let words: [(Finding, String)] = [
      (.notResolved, "the name of provider:80 does not resolve"),
      (.timedOut, "provider:80 does not answer"),
      (.noRoute, "connecting to provider:80 is answered: no route to host"),
      (.notPermitted, "connecting to provider:80 is not permitted"),
      (.loginPage, "a login page answers in place of provider:80"),
    ]
    for (finding, reason) in words {
      var scenario = Scenario.online()
      scenario.report(finding)
      scenario.see(.cut)
      scenario.wait(.milliseconds(20))
      #expect(scenario.told.map(\.reason) == [nil, reason, "the link is down"])
    }
  }

  @Test func `a return is told at once and corrected by the probe`() {
    var scenario = Scenario.online()
    scenario.see(.cut)
    scenario.wait(.seconds(5))
    scenario.see(.working)
    #expect(scenario.story == ["online", "link_down", "online"])
    #expect(scenario.told.last?.downTime == .seconds(5))
    scenario.answer(.timedOut)
    #expect(scenario.story.last == "unreachable")
  }

  @Test func `what was sent before a return and fails after it is no loss`() {
    for late in [Finding.noRoute, .notResolved] {
      var scenario = Scenario.online()
      scenario.see(.cut)
      scenario.wait(.seconds(3))
      scenario.see(.working)
      for finding in [Finding.timedOut, .noRoute] { scenario.report(finding) }
      scenario.answer(late)
      scenario.wait(.milliseconds(200))
      scenario.answer(.provedOpen)
      #expect(scenario.story == ["online", "link_down", "online"])
    }
  }

  @Test func `what fails twice after a return is a loss`() {
    for finding in [Finding.noRoute, .notResolved] {
      var scenario = Scenario.online()
      scenario.see(.cut)
      scenario.wait(.seconds(3))
      scenario.see(.working)
      scenario.answer(finding)
      scenario.wait(.milliseconds(200))
      scenario.answer(finding)
      #expect(scenario.story == ["online", "link_down", "online", "unreachable"])
    }
  }

  @Test func `lower layers outrank what transfers found`() {
    var scenario = Scenario.online()
    scenario.report(.timedOut)
    scenario.see(.withoutRoute)
    scenario.wait(.milliseconds(15))
    scenario.see(.setDown)
    scenario.wait(.milliseconds(15))
    #expect(scenario.story == ["online", "unreachable", "no_route", "link_down"])
    #expect(scenario.told.map(\.previous).last == .offline(.noRoute))
  }

  @Test func `a name that needs no network wins over a broken layer`() {
    var scenario = Scenario()
    scenario.see(.of(route: nil, isResolved: false))
    #expect(scenario.story == [])
    scenario.answer(.provedOpen)
    scenario.see(.of(route: .over("lo", from: "127.0.0.1", to: "127.0.0.1")))
    #expect(scenario.story == ["online"])

    var unresolved = Scenario()
    unresolved.see(.of(route: nil, isResolved: false))
    unresolved.wait(.milliseconds(100))
    #expect(unresolved.story == ["no_interface"])
  }

  @Test func `addresses that turn round are no other path`() {
    var scenario = Scenario.online()
    scenario.see(.of(.ethernet(), route: .over(to: "198.51.100.8")))
    scenario.wait(.seconds(20))
    #expect(scenario.started == 1)
  }

  @Test func `another path is probed while the verdict stands`() {
    var scenario = Scenario.online()
    scenario.wait(.seconds(1))
    scenario.see(
      .of(
        .ethernet().cut,
        .ethernet("wlan0", addresses: ["10.1.1.2/24"]),
        route: .over("wlan0", from: "10.1.1.2")
      )
    )
    #expect(scenario.started == 2)
    #expect(scenario.story == ["online"])
  }

  @Test func `a probe that gets through proves a driver wrong about its carrier`() {
    var scenario = Scenario()
    scenario.see(.cut)
    scenario.answer(.provedOpen)
    #expect(scenario.story == ["link_down", "online"])
    scenario.see(.setDown)
    #expect(scenario.story.last == "link_down")
  }

  @Test func `time spent waiting is bounded whatever is seen`() {
    let views: [View] = [.working, .cut, .setDown, .withoutAddress, .withoutRoute, .empty]
    var generator = Generator(seed: 7)
    for interval in [Duration.zero, .milliseconds(1), .seconds(30)] {
      var scenario = Scenario(settle: .milliseconds(3), probeInterval: interval)
      for _ in 0..<3000 {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: scenario.see(views.randomElement(using: &generator) ?? .working)
        case 1: scenario.report(Finding.allCases.randomElement(using: &generator) ?? .answered)
        case 2:
          let finding = Finding.allCases.randomElement(using: &generator) ?? .answered
          if !scenario.probes.isEmpty { scenario.answer(finding) }
        case _: scenario.wait(.milliseconds(Int.random(in: 0..<3000, using: &generator)))
        }
      }
      let pairs = zip(scenario.told, scenario.told.dropFirst())
      #expect(pairs.allSatisfy { $0.verdict == $1.previous && $0.verdict != $1.verdict })
      #expect(scenario.told.count > 100)
    }
  }
}

/// A small seeded generator (SplitMix64), so that a failure can be repeated.
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}

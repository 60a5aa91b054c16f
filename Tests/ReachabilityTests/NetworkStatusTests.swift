import Testing

@testable import SondeReachability

@Suite struct NetworkStatusTests {
  private func layers(_ views: View..., finding: Finding? = nil) -> [String] {
    var scenario = Scenario()
    for view in views { scenario.see(view) }
    if let finding { scenario.answer(finding) }
    let facts = Facts(
      endpoint: "provider:80",
      view: scenario.machine.view,
      judgement: scenario.machine.judgement,
      evidence: scenario.machine.evidence,
      told: scenario.machine.told
    )
    let status = NetworkStatus(facts, now: Moment(steady: .zero, wall: .zero))
    return status.layers.map { "\($0.name) \($0.condition): \($0.words)" }
  }

  @Test func `an open way is explained layer by layer`() {
    #expect(
      layers(.working, finding: .provedOpen) == [
        "interfaces ok: eth0; not counted: lo",
        "link ok: eth0 is up and connected",
        "address ok: eth0 has 192.0.2.2/24",
        "route ok: the path to provider:80 leads over eth0, from 192.0.2.2",
        "endpoint ok: provider:80 answers",
        "verdict ok: online",
      ]
    )
  }

  @Test func `nothing is claimed of layers above a broken one`() {
    #expect(
      layers(.working, .setDown) == [
        "interfaces ok: eth0; not counted: lo",
        "link broken: eth0 is set down",
        "address unknown: eth0 has 192.0.2.2/24",
        "route unknown: the kernel knows no route to provider:80",
        "endpoint unknown: provider:80 has not been tried yet",
        "verdict broken: offline: the link is down (eth0)",
      ]
    )
  }

  @Test func `each broken layer is the one that is marked`() {
    let broken: [(View, Finding?, String)] = [
      (.empty, nil, "interfaces broken: none that leads out; not counted: lo"),
      (.cut, nil, "link broken: eth0 has no carrier: the cable or the far end"),
      (.withoutAddress, nil, "address broken: eth0 has none"),
      (.withoutRoute, nil, "route broken: the kernel knows no route to provider:80"),
      (.working, .timedOut, "endpoint broken: provider:80 does not answer"),
      (.working, .notResolved, "endpoint broken: the name of provider:80 does not resolve"),
      (.working, .loginPage, "endpoint broken: a login page answers in place of provider:80"),
    ]
    for (view, finding, words) in broken {
      let found = layers(view, finding: finding).filter { $0.contains(" broken: ") }
      #expect(found.first == words && found.count == 2)
    }
  }

  @Test func `before the first look nothing is known`() {
    let status = NetworkStatus(Facts(), now: Moment(steady: .zero, wall: .zero))
    #expect(status.layers.allSatisfy { $0.condition == .unknown } && status.state == nil)
  }
}

import Testing

@testable import SondeReachability

@Suite struct PathJudgeTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var views: [View]
    var cause: OfflineCause?
    var interface: String?

    init(_ name: String, _ views: View..., cause: OfflineCause?, on interface: String?) {
      (testDescription, self.views, self.cause, self.interface) = (name, views, cause, interface)
    }
  }

  static let bridge = Interface(
    name: "docker0",
    kind: .bridge,
    addresses: [.of("172.17.0.1/16")]
  )
  static let tunnel = Interface(name: "tun0", kind: .tunnel, addresses: [.of("10.8.0.2/24")])

  @Test(arguments: [
    Case("all is fine", .working, cause: nil, on: "eth0"),
    Case("loopback alone", .empty, cause: .noInterface, on: nil),
    Case("only virtual ones", .of(bridge, tunnel, route: nil), cause: .noInterface, on: nil),
    Case("set down at the start", .setDown, cause: .linkDown, on: "eth0"),
    Case("carrier lost, route kept", .working, .cut, cause: .linkDown, on: "eth0"),
    Case("carrier lost at the start", .cut, cause: .linkDown, on: "eth0"),
    Case("set down, routes gone", .working, .setDown, cause: .linkDown, on: "eth0"),
    Case("address removed", .working, .withoutAddress, cause: .noAddress, on: "eth0"),
    Case(
      "link-local addresses only",
      .of(.ethernet(addresses: ["169.254.3.4/16", "fe80::2/64"]), route: nil),
      cause: .noAddress,
      on: "eth0"
    ),
    Case(
      "a route that outlives its address",
      .of(.ethernet().bare, route: .over()),
      cause: .noAddress,
      on: "eth0"
    ),
    Case(
      "a link-local source",
      .of(.ethernet(addresses: ["169.254.3.4/16"]), route: .over(from: "169.254.3.4")),
      cause: .noAddress,
      on: "eth0"
    ),
    Case(
      "a link-local endpoint",
      .of(
        .ethernet(addresses: ["169.254.3.4/16"]),
        route: .over(from: "169.254.3.4", to: "169.254.169.254")
      ),
      cause: nil,
      on: "eth0"
    ),
    Case("route removed", .working, .withoutRoute, cause: .noRoute, on: "eth0"),
    Case("no route at the start", .withoutRoute, cause: .noRoute, on: "eth0"),
    Case("the interface is gone", .working, .empty, cause: .noInterface, on: nil),
    Case(
      "the one named last counts, not another",
      .of(.ethernet(), .ethernet("eth1", addresses: ["10.0.0.1/8"]), route: .over()),
      .of(.ethernet().setDown, .ethernet("eth1", addresses: ["10.0.0.1/8"]), route: nil),
      cause: .linkDown,
      on: "eth0"
    ),
    Case(
      "without a route, the most whole of all counts",
      .of(.ethernet().setDown, .ethernet("eth1").bare, route: nil),
      cause: .noAddress,
      on: "eth1"
    ),
    Case(
      "bridge and tunnel up while the way out is down",
      .of(bridge, tunnel, .ethernet().setDown, route: nil),
      cause: .linkDown,
      on: "eth0"
    ),
    Case(
      "a down bridge while the way out is fine",
      .of(bridge.setDown, .ethernet(), route: .over()),
      cause: nil,
      on: "eth0"
    ),
    Case(
      "a loopback endpoint without any network",
      .of(route: .over("lo", from: "127.0.0.1", to: "127.0.0.1")),
      cause: nil,
      on: "lo"
    ),
    Case(
      "a container whose way out is a tap",
      .of(
        tunnel,
        route: .over("tun0", from: "10.8.0.2")
      ),
      cause: nil,
      on: "tun0"
    ),
  ])
  func `the lowest broken layer is named`(_ example: Case) {
    var judge = PathJudge()
    var judgement = PathJudgement()
    for view in example.views { judgement = judge.judge(view) }
    #expect(judgement.cause == example.cause)
    #expect(judgement.interface == example.interface)
  }

  static let both = Interface.ethernet(addresses: ["192.0.2.2/24", "2001:db8::2/64"])
  static let ipv4 = RouteChoice.route(.over())
  static let ipv6 = RouteChoice.route(.over(from: "2001:db8::2", to: "2001:db8:1::7"))

  private func cause(_ routes: [[IPAddress.Family: RouteChoice]], _ last: Interface)
    -> OfflineCause?
  {
    var judge = PathJudge()
    var result: OfflineCause?
    for (number, choice) in routes.enumerated() {
      let interface = number == routes.count - 1 ? last : Self.both
      let view = View(interfaces: [.loopback, interface], routes: choice, isResolved: true)
      result = judge.judge(view).cause
    }
    return result
  }

  @Test func `one open family is enough`() {
    let fine: [IPAddress.Family: RouteChoice] = [.ipv4: Self.ipv4, .ipv6: Self.ipv6]
    #expect(cause([fine, [.ipv4: Self.ipv4, .ipv6: .none]], Self.both) == nil)
    #expect(cause([fine, [.ipv4: .none, .ipv6: Self.ipv6]], Self.both) == nil)
    #expect(cause([fine, [.ipv4: .none, .ipv6: .none]], Self.both) == .noRoute)
  }

  @Test func `a family that never had a way does not explain a loss`() {
    // eth0 keeps an IPv6 address that never led anywhere: what is missing is the IPv4 one.
    let start: [IPAddress.Family: RouteChoice] = [.ipv4: Self.ipv4, .ipv6: .none]
    let last = Self.both.with { $0.addresses.removeFirst() }
    #expect(cause([start, [.ipv4: .none, .ipv6: .none]], last) == .noAddress)
  }

  @Test func `sources that fail leave the rest to decide`() {
    var judge = PathJudge()
    let unlisted = View(interfaces: nil, routes: [.ipv4: Self.ipv4], isResolved: true)
    #expect(judge.judge(unlisted).cause == nil)
    #expect(judge.judge(View(interfaces: nil, routes: [:], isResolved: true)).cause == .noRoute)
    var other = PathJudge()
    let unasked = View(interfaces: [.ethernet()], routes: [.ipv4: .unknown], isResolved: true)
    #expect(other.judge(unasked) == PathJudgement(cause: nil, interface: "eth0"))
    let cut = View(interfaces: [.ethernet().cut], routes: [.ipv4: .unknown], isResolved: true)
    #expect(other.judge(cut).cause == .linkDown)
  }
}

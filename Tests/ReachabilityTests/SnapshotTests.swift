import Glibc
import Testing

@testable import SondeReachability

@Suite struct SnapshotTests {
  @Test func `addresses are written as usual and told apart`() {
    let texts = ["192.0.2.1", "0.0.0.0", "::1", "2001:db8::5", "fe80::1"]
    for text in texts { #expect(IPAddress.of(text).description == text) }
    #expect(IPAddress.of("::ffff:192.0.2.1") == .of("192.0.2.1"))
    #expect(IPAddress.of("169.254.1.2").isLinkLocal && IPAddress.of("fe80::1").isLinkLocal)
    #expect(IPAddress.of("febf::1").isLinkLocal && !IPAddress.of("fec0::1").isLinkLocal)
    #expect(!IPAddress.of("169.255.1.2").isLinkLocal && !IPAddress.of("10.0.0.1").isLinkLocal)
    #expect(IPAddress.of("127.9.9.9").isLoopback && IPAddress.of("::1").isLoopback)
    #expect(IPAddress(bytes: [1, 2, 3]) == nil)
    for text in texts { #expect(IPAddress(bytes: IPAddress.of(text).bytes) == .of(text)) }
  }

  @Test func `libpcap's flags are read`() {
    let flags: [(UInt32, LinkStatus, Bool)] = [
      (0x16, .connected, false), (0x26, .disconnected, false), (0x06, .unknown, false),
      (0x37, .notApplicable, false), (0x1e, .connected, true),
    ]
    for (bits, status, isWireless) in flags {
      let link = CapturedLink(flags: bits)
      #expect(link.status == status && link.isWireless == isWireless)
    }
  }

  @Test func `a dead driver and a dormant link have none`() {
    #expect(Interface.ethernet().hasLink)
    #expect(!Interface.ethernet().cut.hasLink)
    #expect(!Interface.ethernet().with { $0.isRunning = false }.hasLink)
    #expect(!Interface.ethernet().with { $0.link = .disconnected }.hasLink)
    #expect(Interface.ethernet().with { $0.link = .unknown }.hasLink)
    #expect(Interface.loopback.hasLink)
  }

  @Test func `link-local addresses do not count`() {
    let interface = Interface.ethernet(addresses: [
      "169.254.1.1/16", "fe80::1/64", "2001:db8::1/64",
    ])
    #expect(!interface.hasAddress(.ipv4))
    #expect(interface.hasAddress(.ipv6))
  }

  @Test func `changes of interfaces are found`() {
    let moment = Moment(steady: .zero, wall: .zero)
    let old: [Interface] = [.loopback, .ethernet(), .ethernet("eth1")]
    let new: [Interface] = [.loopback, .ethernet().cut, .ethernet("eth2")]
    let changes = InterfaceChange.all(from: old, to: new, at: moment)
    #expect(changes.map(\.interface.name) == ["eth1", "eth0", "eth2"])
    #expect(changes.map(\.isGone) == [true, false, false])
    #expect(InterfaceChange.all(from: old, to: old, at: moment).isEmpty)
  }

  @Test(arguments: [true, false])
  func `this machine's loopback is seen and routed to`(usesNetlink: Bool) throws {
    var observer = Observer(usesNetlink: usesNetlink)
    let targets = [SocketAddress(address: .of("127.0.0.1"), port: 9)]
    let view = observer.look(targets: targets, isResolved: true, kindsMayHaveChanged: false)
    let loopback = try #require(view.interface("lo"))
    #expect(loopback.kind == .loopback && loopback.hasLink && loopback.link == .notApplicable)
    #expect(loopback.addresses.contains(.of("127.0.0.1/8")))
    #expect(view.interface("any") == nil)
    guard case .route(let route) = view.routes[.ipv4] else {
      Issue.record("no route to loopback")
      return
    }
    #expect(route.interface == "lo" && route.source == .of("127.0.0.1"))
    #expect(observer.degradations.map(\.sense) == (usesNetlink ? [] : [.routes]))
  }

  @Test func `a look at the path finds what a whole look finds`() throws {
    var observer = Observer(usesNetlink: true)
    let targets = [
      SocketAddress(address: .of("127.0.0.1"), port: 9),
      SocketAddress(address: .of("::1"), port: 9),
    ]
    let view = observer.look(targets: targets, isResolved: true, kindsMayHaveChanged: false)
    #expect(observer.lookAtPath(view, judged: "lo", targets: targets) == view)
    #expect(observer.lookAtPath(view, judged: "none", targets: targets) == nil)
    // What was there before is no news; what is read now is.
    var former = view
    former.routes = [:]
    let place = try #require(view.interfaces?.firstIndex { $0.name == "lo" })
    former.interfaces?[place].addresses = []
    former.interfaces?[place].isUp = false
    #expect(observer.lookAtPath(former, judged: "lo", targets: targets) == view)
    former.interfaces?.remove(at: place)
    #expect(observer.lookAtPath(former, judged: "lo", targets: targets) == nil)
    var deaf = Observer(usesNetlink: false)
    #expect(deaf.lookAtPath(view, judged: "lo", targets: targets) == nil)
  }

  @Test func `one's own address is reached without leaving`() {
    let interfaces = [Interface.loopback, .ethernet()].map {
      ListedInterface(
        name: $0.name,
        flags: UInt32($0.kind == .loopback ? IFF_LOOPBACK : IFF_UP),
        addresses: $0.addresses
      )
    }
    let own = IPAddress.of("192.0.2.2")
    let expected = Route.over("lo", to: "192.0.2.2")
    #expect(RouteChoice(from: own, to: own, interfaces: interfaces) == .route(expected))
    #expect(
      RouteChoice(from: own, to: .of("192.0.2.9"), interfaces: interfaces) != .route(expected)
    )
    #expect(RouteChoice(from: .of("10.1.1.1"), to: own, interfaces: interfaces) == .unknown)
  }

  @Test func `routes are judged by links that were the same before and after`() {
    /// What each reading finds, the last one again and again.
    func read(_ links: [String], _ routes: [String]) -> (pair: [String], readings: Int) {
      var readings = (links: 0, routes: 0)
      let pair = readTogether(&readings) { readings in
        readings.links += 1
        return links[min(readings.links, links.count) - 1]
      } inner: { readings, _ in
        readings.routes += 1
        return routes[min(readings.routes, routes.count) - 1]
      }
      return ([pair.0, pair.1], readings.links + readings.routes)
    }
    #expect(read(["up"], ["route"]) == (["up", "route"], 3))
    // Set down between the readings, before and after its routes have gone.
    #expect(read(["up", "down"], ["none"]) == (["down", "none"], 5))
    #expect(read(["up", "down"], ["route", "none"]) == (["down", "none"], 5))
    // Replaced by another uplink.
    #expect(
      read(["up", "down"], ["over one", "over the other"]) == (["down", "over the other"], 5)
    )
    // A storm ends with the newest, links last.
    let storm = (0..<20).map { "\($0)" }
    #expect(read(storm, storm) == (["4", "3"], 9))
  }

  @Test func `endpoints are read in every usual form`() {
    let forms: [(String, String?)] = [
      ("example.net", "example.net:80"), ("example.net:8080", "example.net:8080"),
      ("192.0.2.1:53", "192.0.2.1:53"), ("[2001:db8::1]:443", "[2001:db8::1]:443"),
      ("[2001:db8::1]", "[2001:db8::1]:80"), ("2001:db8::1", "[2001:db8::1]:80"),
      ("", nil), (":80", nil), ("host:", nil), ("host:0", nil), ("host:65536", nil),
      ("host:http", nil), ("http://host", nil), ("[::1]x", nil), ("a b", nil), ("a/b", nil),
      ("[::1", nil), ("::1]", nil), ("[]:80", nil), ("[[::1]]:80", nil), ("host:+80", nil),
    ]
    for (text, expected) in forms {
      #expect(Endpoint(text, defaultPort: 80)?.description == expected)
    }
  }
}

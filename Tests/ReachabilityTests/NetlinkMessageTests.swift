import CSondeNetlink
import Testing

@testable import SondeReachability

@Suite struct NetlinkMessageTests {
  private func message(_ request: NetlinkRequest) -> NetlinkMessage? {
    NetlinkMessage.all(in: request.bytes[...]).first
  }

  @Test func `what is written is read back`() {
    var request = NetlinkRequest(type: 26, flags: 0, sequence: 9, fixedPart: [1, 2, 3, 4])
    request.add(3, [65, 66, 67, 0])
    request.add(4, [1])
    let messages = NetlinkMessage.all(in: (request.bytes + request.bytes)[...])
    #expect(messages.count == 2)
    #expect(messages[1].type == 26 && messages[1].sequence == 9)
    #expect(messages[1].attributes(after: 4)[3]?.text == "ABC")
    #expect(messages[1].attributes(after: 4)[4].map(Array.init) == [1])
  }

  private func link(flags: UInt32, driver: String, port: String) -> DescribedLink? {
    var information = NetlinkRequest(type: 0, flags: 0, sequence: 0, fixedPart: [])
    information.add(Int(IFLA_INFO_KIND), Array(driver.utf8) + [0])
    information.add(Int(IFLA_INFO_SLAVE_KIND), Array(port.utf8) + [0])
    let fixed = [UInt8](repeating: 0, count: 8) + flags.nativeBytes + [0, 0, 0, 0]
    var request = NetlinkRequest(type: Int(RTM_NEWLINK), flags: 0, sequence: 1, fixedPart: fixed)
    request.add(Int(IFLA_IFNAME), Array("x0".utf8) + [0])
    request.add(Int(IFLA_LINKINFO) | 0x8000, Array(information.bytes.dropFirst(16)))
    return message(request).flatMap { DescribedLink($0) }
  }

  @Test func `the sort of an interface is read from its link information`() {
    let kinds: [(String, String, Interface.Kind)] = [
      ("bridge", "", .bridge), ("veth", "bridge", .bridgePort), ("veth", "", .ordinary),
      ("tun", "", .tunnel), ("tun", "bridge", .bridgePort), ("wireguard", "", .wireGuard),
      ("dummy", "", .dummy), ("", "", .ordinary), ("ppp", "", .ordinary), ("vlan", "", .ordinary),
      ("bond", "", .ordinary), ("", "bond", .ordinary), ("sit", "", .tunnel),
    ]
    for (driver, port, kind) in kinds {
      #expect(link(flags: 0x1, driver: driver, port: port)?.kind == kind)
    }
    #expect(link(flags: 0x9, driver: "", port: "")?.kind == .loopback)
  }

  private func choice(_ type: Int, fixed: [UInt8], _ attributes: [(Int, [UInt8])]) -> RouteChoice? {
    var request = NetlinkRequest(type: type, flags: 0, sequence: 1, fixedPart: fixed)
    for (type, value) in attributes { request.add(type, value) }
    return message(request).map { message in
      RouteChoice(message, destination: .of("198.51.100.7")) { $0 == 4 ? "eth0" : nil }
    }
  }

  @Test func `a route names its interface, source and router`() {
    let fixed = [UInt8](repeating: 0, count: 12)
    let index = UInt32(4).nativeBytes
    let route = choice(
      Int(RTM_NEWROUTE),
      fixed: fixed,
      [(4, index), (7, [192, 0, 2, 2]), (5, [192, 0, 2, 1])]
    )
    var expected = Route.over()
    expected.gateway = .of("192.0.2.1")
    #expect(route == .route(expected))
    #expect(choice(Int(RTM_NEWROUTE), fixed: fixed, [(4, UInt32(5).nativeBytes)]) == .unknown)
    #expect(choice(Int(RTM_NEWROUTE), fixed: fixed, []) == .unknown)
  }

  @Test func `errors tell no route from no answer`() {
    func refused(_ code: Int32) -> RouteChoice? {
      choice(Int(NLMSG_ERROR), fixed: (-code).nativeBytes + [0, 0, 0, 0], [])
    }
    #expect(refused(101) == RouteChoice.none)
    #expect(refused(113) == RouteChoice.none)
    #expect(refused(1) == .unknown)
    #expect(refused(.max) == .unknown)
  }

  @Test func `mangled datagrams are survived`() {
    var generator = Generator(seed: 3)
    let whole = NetlinkRequest(
      routeTo: SocketAddress(address: .of("2001:db8::1"), port: 1, scope: 3),
      sequence: 1
    ).bytes
    var read = 0
    for _ in 0..<20_000 {
      var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &generator)))
      for _ in 0..<3 where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      for message in NetlinkMessage.all(in: bytes[...]) {
        _ = (message.error, message.attributes(after: 12), DescribedLink(message))
        read += message.payload.count
      }
    }
    #expect(read > 0)
  }
}

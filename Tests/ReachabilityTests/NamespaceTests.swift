import Testing

@testable import SondeReachability

/// Real losses on a real network; one at a time, for some of them are about time.
@Suite(.serialized, .enabled(if: NamespacePair.isAllowed), .timeLimit(.minutes(3)))
struct NamespaceTests {
  struct Loss: CustomTestStringConvertible {
    var testDescription: String
    var isFar = false
    var command: String
    /// What puts things right again.
    var repairs: [String]
    var cause: String
  }

  static let losses = [
    Loss(
      testDescription: "carrier lost at the far end",
      isFar: true,
      command: "link set far0 down",
      repairs: ["link set far0 up"],
      cause: "link_down"
    ),
    Loss(
      testDescription: "interface set down",
      command: "link set near0 down",
      repairs: ["link set near0 up", "route add default via 10.9.0.2"],
      cause: "link_down"
    ),
    Loss(
      testDescription: "address removed",
      command: "addr del 10.9.0.1/24 dev near0",
      repairs: ["addr add 10.9.0.1/24 dev near0", "route add default via 10.9.0.2"],
      cause: "no_address"
    ),
    Loss(
      testDescription: "route removed",
      command: "route del default",
      repairs: ["route add default via 10.9.0.2"],
      cause: "no_route"
    ),
  ]

  private func start(_ pair: NamespacePair, _ options: String...) throws -> ProbeProcess {
    let probe = try ProbeProcess(in: pair.near, [NamespacePair.endpoint] + options)
    #expect(try probe.next("network")[1...3] == ["online", "-", "near0"])
    return probe
  }

  /// Breaks and repairs the network in every way, over and over.
  /// - Returns: The milliseconds from giving the command to the verdict, `ip`'s own run included.
  private func measure(_ rounds: Int, _ options: String...) throws -> [Double] {
    let pair = try NamespacePair("loss")
    let probe = try ProbeProcess(in: pair.near, [NamespacePair.endpoint] + options)
    _ = try probe.next("network online")
    var delays: [Double] = []
    for _ in 0..<rounds {
      for loss in Self.losses {
        let side = loss.isFar ? pair.far : pair.near
        let begin = bootNanoseconds()
        try pair.ip(side, loss.command)
        let words = try probe.next("network")
        #expect(words[1...3] == ["offline", loss.cause, "near0"], "\(loss.testDescription)")
        delays.append(Double((Int(words[5]) ?? 0) - begin) / 1e6)
        for repair in loss.repairs { try pair.ip(side, repair) }
        #expect(try probe.next("network online")[3] == "near0")
      }
    }
    return delays.sorted()
  }

  private func say(_ name: String, _ delays: [Double]) {
    let texts = [delays[delays.count / 2], delays[delays.count - 1]].map {
      "\(($0 * 10).rounded() / 10) ms"
    }
    print("\(name): median \(texts[0]), worst \(texts[1]) of \(delays.count)")
  }

  @Test func `each loss is told with its own cause, at once`() throws {
    let delays = try measure(13)
    say("loss to event", delays)
    #expect(delays[delays.count / 2] <= 20)
  }

  @Test func `without notices each loss is told within an interval`() throws {
    let delays = try measure(3, "netlink=0")
    say("loss to event, netlink off", delays)
    let pair = try NamespacePair("deaf")
    let probe = try start(pair, "netlink=0")
    probe.send("status")
    let sources = try [probe.next("degraded")[1], probe.next("degraded")[1]]
    #expect(sources == ["routes", "notifications"])
    // An interval of 250 ms, and time for `ip` and the look itself on a busy machine.
    #expect(delays[delays.count - 1] <= 450)
  }

  @Test(arguments: losses)
  func `each cause is named at the start too`(loss: Loss) throws {
    let pair = try NamespacePair("start")
    try pair.ip(loss.isFar ? pair.far : pair.near, loss.command)
    let probe = try ProbeProcess(in: pair.near, [NamespacePair.endpoint])
    #expect(try probe.next("network")[1...3] == ["offline", loss.cause, "near0"])
  }

  @Test func `a silent host is unreachable, and back once it answers`() throws {
    let pair = try NamespacePair("silent")
    let probe = try start(pair, "probe=300", "timeout=1000")
    try pair.setSilent(true)
    #expect(try probe.next("network")[1...3] == ["offline", "unreachable", "near0"])
    try pair.setSilent(false)
    #expect(try probe.next("network")[1] == "online")
    try pair.setSilent(true)
    let other = try ProbeProcess(in: pair.near, [NamespacePair.endpoint])
    #expect(try other.next("network", within: 2)[1...2] == ["offline", "unreachable"])
  }

  @Test func `a transfer's report is checked and the return found`() throws {
    let pair = try NamespacePair("report")
    let probe = try start(pair, "probe=0")
    try pair.setSilent(true)
    probe.send("timedOut")
    #expect(try probe.next("network")[2] == "unreachable")
    try pair.setSilent(false)
    #expect(try probe.next("network")[1] == "online")
  }

  @Test func `bridge and tunnel that are up do not hide a loss`() throws {
    let pair = try NamespacePair("bridge")
    try pair.ip(pair.near, "link add docker0 type bridge")
    try pair.ip(pair.near, "addr add 172.17.0.1/16 dev docker0")
    try pair.ip(pair.near, "link set docker0 up")
    try pair.ip(pair.near, "tuntap add dev tun0 mode tun")
    try pair.ip(pair.near, "addr add 10.8.0.2/24 dev tun0")
    try pair.ip(pair.near, "link set tun0 up")
    let probe = try start(pair)
    try pair.ip(pair.near, "link set docker0 down")
    _ = try probe.next("interface docker0 down")
    try pair.ip(pair.near, "link set docker0 up")
    _ = try probe.next("interface docker0 up")
    try pair.ip(pair.near, "link set near0 down")
    #expect(try probe.next("network")[1...3] == ["offline", "link_down", "near0"])
    probe.send("status")
    let layer = try probe.next("layer interfaces").joined(separator: " ")
    #expect(layer == "layer interfaces ok near0; not counted: lo, docker0 (bridge), tun0 (tunnel)")
    try pair.ip(pair.near, "link del near0")
    #expect(try probe.next("network")[1...2] == ["offline", "no_interface"])
    // A monitor that never saw the way out says the same.
    let other = try ProbeProcess(in: pair.near, [NamespacePair.endpoint])
    #expect(try other.next("network")[1...2] == ["offline", "no_interface"])
  }

  @Test func `loopback alone is a network for a loopback endpoint`() throws {
    let pair = try NamespacePair("lo")
    try pair.ip(pair.near, "link del near0")
    let probe = try ProbeProcess(in: pair.near, ["127.0.0.1:81"])
    #expect(try probe.next("network")[1...3] == ["online", "-", "lo"])
  }

  @Test func `a name server that is gone makes the endpoint unreachable`() throws {
    let pair = try NamespacePair("name")
    try pair.setSilent(true)
    let probe = try ProbeProcess(in: pair.near, ["provider.invalid:81"])
    #expect(try probe.next("network", within: 2)[1...3] == ["offline", "unreachable", "near0"])
    probe.send("status")
    let layer = try probe.next("layer endpoint").joined(separator: " ")
    #expect(layer.hasSuffix("the name of provider.invalid:81 does not resolve"))
  }

  @Test func `flaps settle into nothing, and are all told without settling`() throws {
    let pair = try NamespacePair("flap")
    let settled = try start(pair, "settle=1000")
    let eager = try start(pair)
    for _ in 0..<10 {
      try pair.ip(pair.far, "link set far0 down")
      #expect(try eager.next("network")[1] == "offline")
      try pair.ip(pair.far, "link set far0 up")
      #expect(try eager.next("network")[1] == "online")
    }
    settled.send("status")
    #expect(try settled.next("tally")[1] == "0")
    #expect(settled.lines.filter { $0.hasPrefix("network") }.count == 1)
    eager.send("status")
    #expect(try eager.next("tally")[1] == "10")
  }

  @Test func `either family of addresses keeps the way open`() throws {
    let pair = try NamespacePair("twin")
    let probe = try ProbeProcess(in: pair.near, ["twin:81"])
    #expect(try probe.next("network")[1...3] == ["online", "-", "near0"])
    func expectStillOnline() throws {
      _ = try probe.next("interface near0")
      probe.send("status")
      #expect(try probe.next("layer verdict")[2] == "ok")
    }
    try pair.ip(pair.near, "addr del 2001:db8::1/64 dev near0")
    try expectStillOnline()
    try pair.ip(pair.near, "addr add 2001:db8::1/64 dev near0 nodad")
    try pair.ip(pair.near, "route replace default via 2001:db8::2")
    try expectStillOnline()
    try pair.ip(pair.near, "addr del 10.9.0.1/24 dev near0")
    try expectStillOnline()
    #expect(probe.lines.filter { $0.hasPrefix("network") }.count == 1)
    try pair.ip(pair.near, "addr del 2001:db8::1/64 dev near0")
    #expect(try probe.next("network")[1...3] == ["offline", "no_address", "near0"])
  }

  @Test func `waiting costs next to nothing`() throws {
    let pair = try NamespacePair("idle")
    let probe = try start(pair)
    // The first second is spent on closer watch.
    #expect(throws: MissingLine.self) { try probe.next("network", within: 1.5) }
    probe.send("status")
    let begin = (try probe.next("tally"), bootNanoseconds())
    #expect(throws: MissingLine.self) { try probe.next("network", within: 5) }
    probe.send("status")
    let end = (try probe.next("tally"), bootNanoseconds())
    let used = Double((Int(end.0[3]) ?? 0) - (Int(begin.0[3]) ?? 0)) * 1e6
    let share = used / Double(end.1 - begin.1) * 100
    print("idle: \((share * 100).rounded() / 100) % of a core (debug build)")
    #expect(share < 2)
  }
}

import SondeAddresses
import Glibc
import SondeNames
import TestSupport

/// Names from Debian's NSD on the same machine, against dnsperf on the same server.
///
/// dnsperf sends questions that are made already and counts the answers; Sonde's library makes them
/// from addresses, reads the names and, as `--with names` does, asks for their addresses, too.
struct NameBenchmarks {
  private let count: Int

  /// How many addresses are asked about together, and how often at once, as a scan does.
  private static let (batch, atOnce) = (512, 16)

  init(count: Int) { self.count = count }

  func run(report: (Measurement) -> Void) async throws {
    let folder = try ScratchFolder()
    let port = 15_353
    try writeZones(to: folder, port: port)
    let server = try ChildProcess(["/usr/sbin/nsd", "-d", "-c", folder.file("nsd.conf")])
    defer {
      kill(server.identifier, SIGTERM)
      _ = server.wait()
    }
    guard let place = ResolverPlace("127.0.0.1:\(port)") else { return }
    try await waitForAnswers(from: place)
    let peer = Measurement.Peer(name: "dnsperf", try measurePeer(folder, port))
    for confirms in [false, true] {
      var measurement = try await measure(place, confirms: confirms)
      measurement.peer = peer
      report(measurement)
    }
  }

  private func address(_ number: Int) -> Address { Address(ipv4: 20 << 24 | UInt32(number)) }

  private func writeZones(to folder: ScratchFolder, port: Int) throws {
    let begin =
      "$TTL 3600\n@ SOA ns.example. root.example. 1 3600 900 86400 600\n@ NS ns.example.\n"
    var (forward, reverse, questions) = ("$ORIGIN example.\n" + begin, begin, "")
    reverse = "$ORIGIN 20.in-addr.arpa.\n" + reverse
    for number in 0..<count {
      let octets = [number & 255, number >> 8 & 255, number >> 16]
      let name = octets.map(String.init).joined(separator: ".")
      reverse += "\(name) PTR host-\(number).example.\n"
      forward += "host-\(number) A \(address(number))\n"
      questions += "\(name).20.in-addr.arpa PTR\n"
    }
    let path = folder.path
    let settings = """
      server:
        ip-address: 127.0.0.1
        port: \(port)
        username: ""
        chroot: ""
        zonesdir: "\(path)"
        database: ""
        pidfile: "\(path)/pid"
        xfrdfile: "\(path)/xfrd.state"
        xfrdir: "\(path)"
        zonelistfile: "\(path)/zone.list"
      remote-control:
        control-enable: no
      zone:
        name: "example"
        zonefile: "forward"
      zone:
        name: "20.in-addr.arpa"
        zonefile: "reverse"

      """
    for (name, text) in [
      ("forward", forward), ("reverse", reverse), ("questions", questions), ("nsd.conf", settings),
    ] {
      _ = try folder.write(name, items: 1) { $0 += text.utf8 }
    }
  }

  private func waitForAnswers(from place: ResolverPlace) async throws {
    let resolver = try NameResolver(NameResolver.Configuration(place))
    for _ in 0..<600 {
      if try await resolver.names(of: [address(0)])[0].status == .confirmed { return }
      usleep(100_000)
    }
    throw BenchmarkError("NSD does not answer")
  }

  private func measurePeer(_ folder: ScratchFolder, _ port: Int) throws -> Measurement {
    let questions = folder.file("questions")
    let usages = try (0..<3).map { _ in
      try ChildProcess(["dnsperf", "-s", "127.0.0.1", "-p", "\(port)", "-d", questions, "-n", "1"])
        .wait()
    }
    guard usages.allSatisfy({ $0.status == 0 }) else { throw BenchmarkError("dnsperf failed") }
    return Measurement(name: "dnsperf", unit: "answers", items: count, bytes: 0, usages: usages)
  }

  private func measure(_ place: ResolverPlace, confirms: Bool) async throws -> Measurement {
    var configuration = NameResolver.Configuration(place)
    configuration.confirms = confirms
    var usages: [Usage] = []
    for _ in 0..<3 {
      let resolver = try NameResolver(configuration)
      let meter = Meter()
      let right = try await ask(resolver)
      usages.append(meter.usage)
      guard right == count else { throw BenchmarkError("\(count - right) names are wrong") }
    }
    let name = "names of addresses, \(confirms ? "confirmed" : "not confirmed")"
    return Measurement(name: name, unit: "addresses", items: count, bytes: 0, usages: usages)
  }

  /// Asks about all addresses; how many have the right name.
  private func ask(_ resolver: NameResolver) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      var (right, underWay) = (0, 0)
      for start in stride(from: 0, to: count, by: Self.batch) {
        if underWay == Self.atOnce {
          right += try await group.next() ?? 0
          underWay -= 1
        }
        let numbers = start..<min(start + Self.batch, count)
        group.addTask {
          let names = try await resolver.names(of: numbers.map(address))
          return zip(numbers, names).count { $1.names == ["host-\($0).example"] }
        }
        underWay += 1
      }
      for try await part in group { right += part }
      return right
    }
  }
}

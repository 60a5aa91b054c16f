import Glibc
import SondeSystem
import Testing

@testable import SondeReachability

/// A TCP port of loopback that accepts connections, or once closed refuses them.
final class LoopbackPort: Sendable {
  private let descriptor: Int32
  let port: UInt16

  init?(isListening: Bool) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = self.descriptor
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    // A port that is bound but not listened to refuses, and nobody else gets it meanwhile.
    guard isBound, !isListening || listen(descriptor, 16) == 0 else { return nil }
  }

  deinit { close(descriptor) }

  var endpoint: Endpoint { Endpoint(host: "127.0.0.1", port: port) }
}

@Suite struct NetworkMonitorTests {
  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `a loopback endpoint is online, listened to or refused`(isListening: Bool) async throws {
    let server = try #require(LoopbackPort(isListening: isListening))
    let monitor = try NetworkMonitor(.init(endpoint: server.endpoint))
    var states = monitor.states().makeAsyncIterator()
    let first = try #require(await states.next())
    #expect(first.verdict == .online && first.previous == nil && first.interface == "lo")
    #expect(first.endpoint == server.endpoint.description)
    let status = monitor.currentStatus
    #expect(status.layers.map(\.condition) == Array(repeating: .ok, count: 6))
    #expect(status.degradations.isEmpty && status.losses == 0)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a name that files know is resolved`() async throws {
    let server = try #require(LoopbackPort(isListening: true))
    let monitor = try NetworkMonitor(
      .init(endpoint: Endpoint(host: "localhost", port: server.port))
    )
    var states = monitor.states().makeAsyncIterator()
    let first = await states.next()
    #expect(first?.verdict == .online && first?.interface == "lo")
  }

  @Test(.timeLimit(.minutes(1)))
  func `reports close and open the way for every subscriber`() async throws {
    let server = try #require(LoopbackPort(isListening: true))
    let monitor = try NetworkMonitor(.init(endpoint: server.endpoint))
    var events = monitor.events().makeAsyncIterator()
    var states = monitor.states().makeAsyncIterator()
    #expect(await states.next()?.verdict == .online)
    monitor.report(.loginPage)
    #expect(await states.next()?.verdict == .offline(.captivePortal))
    monitor.report(.answered)
    let back = await states.next()
    #expect(back?.verdict == .online && back?.downTime != nil)
    var verdicts: [Verdict] = []
    while verdicts.count < 3, let event = await events.next() {
      if case .network(let transition) = event { verdicts.append(transition.verdict) }
    }
    #expect(verdicts == [.online, .offline(.captivePortal), .online])
    #expect(monitor.currentStatus.losses == 1)
    var late = monitor.events().makeAsyncIterator()
    #expect(await late.next() == back.map { .network($0) })
  }

  @Test(.timeLimit(.minutes(1)))
  func `a probe of one's own decides`() async throws {
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    let monitor = try NetworkMonitor(.init(endpoint: endpoint)) { .loginPage }
    var states = monitor.states().makeAsyncIterator()
    #expect(await states.next()?.verdict == .offline(.captivePortal))
    #expect(monitor.currentStatus.layers.first { $0.name == .endpoint }?.condition == .broken)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a probe that hangs makes the first state a second late, and is cancelled`() async throws {
    var configuration = NetworkMonitor.Configuration(
      endpoint: Endpoint(host: "127.0.0.1", port: 9)
    )
    configuration.probeTimeout = .milliseconds(1200)
    let start = Clocks.steady
    try await confirmation("cancelled") { cancelled in
      let monitor = try NetworkMonitor(configuration) {
        try? await Task.sleep(for: .seconds(600))
        if Task.isCancelled { cancelled() }
        return .inconclusive
      }
      var states = monitor.states().makeAsyncIterator()
      #expect(await states.next()?.verdict == .offline(.unreachable))
      #expect(Clocks.steady - start < .seconds(2))
      #expect(Clocks.steady - start >= .seconds(1))
      monitor.stop()
      // The task ends on its own soon after; the confirmation needs it to have done so.
      while Clocks.steady - start < .seconds(3) { try await Task.sleep(for: .milliseconds(20)) }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `stopping and releasing end every stream`() async throws {
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    var monitor: NetworkMonitor? = try NetworkMonitor(.init(endpoint: endpoint))
    let events = try #require(monitor?.events())
    monitor = nil
    for await _ in events {}
    let other = try NetworkMonitor(.init(endpoint: endpoint))
    let states = other.states()
    other.stop()
    for await _ in states {}
    for await _ in other.events() {}
  }

  @Test func `the result of connecting is read as contract says`() {
    let findings: [(Int32, Finding)] = [
      (0, .provedOpen), (ECONNREFUSED, .provedOpen), (ECONNRESET, .provedOpen),
      (ETIMEDOUT, .timedOut), (EHOSTUNREACH, .noRoute), (ENETUNREACH, .noRoute),
      (ENETDOWN, .noRoute), (EINVAL, .noRoute), (EACCES, .notPermitted), (EPERM, .notPermitted),
      (EMFILE, .inconclusive),
    ]
    for (error, finding) in findings { #expect(Finding(connectError: error) == finding) }
  }
}

import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeReachability

@Suite(.timeLimit(.minutes(1))) struct NetworkGateTests {
  private func gate(_ patience: OfflinePatience, _ told: Shared<[String]>) -> NetworkGate {
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    let probe = PathProbe(to: endpoint) { .inconclusive }
    return NetworkGate(
      to: endpoint,
      probe: probe,
      patience: patience,
      start: { _, _ throws(NetworkMonitor.StartError) in throw NetworkMonitor.StartError() },
      report: { event in
        if case .unwatched(let reason) = event { told.change { $0.append(reason) } }
      }
    )
  }

  @Test func `where no monitor can be started it says so once, and is open`() async throws {
    let told = Shared<[String]>([])
    let gate = gate(.standard, told)
    gate.begin()
    gate.begin()
    #expect(told.value == ["the network monitor found no thread or descriptor to spare"])
    #expect(gate.isOpen)
    guard case .open = try await gate.pass(unless: { false }) else {
      Issue.record("it is closed")
      return
    }
    await gate.watch(onLoss: { _ in }, onChange: {})
  }

  @Test func `without a monitor an exchange's report closes it, with cause and time`() async throws
  {
    let gate = gate(.after(.zero), Shared([]))
    gate.begin()
    gate.take(.loginPage)
    guard case .lost(let reason) = try await gate.pass(unless: { false }) else {
      Issue.record("it is open")
      return
    }
    #expect(reason.hasPrefix("network lost: captive_portal, on the path to 127.0.0.1:9, since 2"))
  }
}

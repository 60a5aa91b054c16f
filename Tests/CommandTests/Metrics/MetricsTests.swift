import SondeAsking
import Testing

@testable import SondeReachability
@testable import sonde

@Suite struct MetricsTests {
  private func status(_ verdict: Verdict, interfaces: [Interface] = []) throws -> NetworkStatus {
    // A monitor's own status, changed: there is no other way to make one.
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    let monitor = try NetworkMonitor(NetworkMonitor.Configuration(endpoint: endpoint))
    defer { monitor.stop() }
    var status = monitor.currentStatus
    status.state = transition(verdict, previous: nil)
    status.endpoint = "a\"b\\c\nd"
    status.interfaces = interfaces
    status.losses = 3
    status.offlineTime = .milliseconds(1500)
    return status
  }

  @Test func `the text is Prometheus's own`() throws {
    let interfaces = [Interface(name: "eth0", link: .disconnected)]
    let text = Metrics.text(of: try status(.offline(.noRoute), interfaces: interfaces))
    let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let label = #"endpoint="a\"b\\c\nd""#
    #expect(
      samples == [
        "sonde_network_online{\(label)} 0",
        "sonde_network_degraded{\(label)} 0",
        "sonde_network_cause{\(label),cause=\"no_interface\"} 0",
        "sonde_network_cause{\(label),cause=\"link_down\"} 0",
        "sonde_network_cause{\(label),cause=\"no_address\"} 0",
        "sonde_network_cause{\(label),cause=\"no_route\"} 1",
        "sonde_network_cause{\(label),cause=\"unreachable\"} 0",
        "sonde_network_cause{\(label),cause=\"captive_portal\"} 0",
        "sonde_network_cause{\(label),cause=\"shared_unreachable\"} 0",
        "sonde_network_losses_total{\(label)} 3",
        "sonde_network_offline_seconds_total{\(label)} 1.5",
        "sonde_interface_up{interface=\"eth0\",kind=\"ordinary\"} 1",
        "sonde_interface_link{interface=\"eth0\",kind=\"ordinary\"} 0",
      ]
    )
    #expect(text.contains("# TYPE sonde_network_losses_total counter\n"))
    #expect(text.contains("# TYPE sonde_network_online gauge\n") && text.hasSuffix("\n"))
  }

  @Test func `families without a sample are left out`() throws {
    let text = Metrics.text(of: try status(.online))
    #expect(text.contains("} 1\n") && !text.contains("sonde_interface"))
  }

  @Test func `a place that is taken or not ours is refused`() throws {
    let server = try MetricsServer(on: Endpoint(host: "127.0.0.1", port: 0)) { "" }
    #expect(server.address.port > 0)
    #expect(throws: (any Error).self) { try MetricsServer(on: server.address) { "" } }
    let foreign = Endpoint(host: "192.0.2.77", port: 0)
    #expect(throws: (any Error).self) { try MetricsServer(on: foreign) { "" } }
  }
}

import SondeReachability
import Testing

@Suite struct ReachabilityExamples {
  @Test(.timeLimit(.minutes(1))) func networkMonitor() async throws {
    // example: NetworkMonitor
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    let monitor = try NetworkMonitor(NetworkMonitor.Configuration(endpoint: endpoint))
    for await transition in monitor.states() {
      // Nothing listens there, but that was found out from the far end: the path is open.
      if transition.verdict.isOnline { break }
      print(transition.reason ?? "", "since", transition.began.wall)
    }
    monitor.stop()
    // end
  }

  @Test(.timeLimit(.minutes(1))) func networkStatus() async throws {
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    let monitor = try NetworkMonitor(NetworkMonitor.Configuration(endpoint: endpoint))
    for await _ in monitor.states() { break }
    // example: NetworkStatus
    let status = monitor.currentStatus
    for layer in status.layers { print(layer.name, layer.condition, layer.words) }
    #expect(
      status.layers.map(\.name) == [.interfaces, .link, .address, .route, .endpoint, .verdict]
    )
    #expect(status.route?.interface == "lo")
    // end
  }

  @Test(.timeLimit(.minutes(1))) func report() async throws {
    // example: report
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    var configuration = NetworkMonitor.Configuration(endpoint: endpoint)
    // The transfers are the regular probes.
    configuration.probeInterval = .zero
    let monitor = try NetworkMonitor(configuration)
    var lost: NetworkTransition?
    for await case .network(let transition) in monitor.events() {
      if transition.verdict.isOnline {
        // The second time because a probe looked for the return.
        if lost != nil { break }
        monitor.report(.timedOut)
      } else {
        lost = transition
      }
    }
    #expect(lost?.verdict == .offline(.unreachable))
    #expect(lost?.reason == "127.0.0.1:9 does not answer")
    // end
  }

  @Test(.timeLimit(.minutes(1))) func endpointGroup() async throws {
    // example: EndpointGroup
    let endpoints = [7, 9].map { Endpoint(host: "127.0.0.1", port: $0) }
    let group = try EndpointGroup(endpoints.map { .init(endpoint: $0) }, quorum: 2)
    let events = group.events()
    let running = Task { await group.run() }
    for await case .network(let transition) in events {
      #expect(transition.verdict == .online)
      #expect(transition.endpoint == "127.0.0.1:7 127.0.0.1:9")
      break
    }
    running.cancel()
    // end
  }

  @Test(.timeLimit(.minutes(1))) func connectionProbe() async {
    // example: ConnectionProbe
    let endpoint = Endpoint(host: "127.0.0.1", port: 9)
    let probe = ConnectionProbe(endpoint: endpoint, timeout: .seconds(3))
    #expect(await probe() == .provedOpen)
    // end
  }

  @Test func endpoint() {
    // example: Endpoint
    let endpoint = Endpoint("[2001:db8::1]:8080", defaultPort: 80)
    #expect(endpoint?.host == "2001:db8::1" && endpoint?.port == 8080)
    #expect(Endpoint("ip-api.com", defaultPort: 80)?.description == "ip-api.com:80")
    // end
  }
}

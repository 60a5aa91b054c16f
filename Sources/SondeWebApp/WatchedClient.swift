public import SondeReachability
public import SondeTransfer

/// An HTTP client whose requests end as soon as the network is lost, long before a time-out.
public final class WatchedClient: Sendable {
  /// The monitor of the path.
  public let monitor: NetworkMonitor

  /// How long the kernel may look for a neighbour after a link has returned.
  ///
  /// Requests sent meanwhile fail as if there were no route, and have not reached anybody
  /// (`mcast_solicit` in arp(7)).
  private static let longestSearch = Duration.seconds(5)

  /// The pause between two attempts during that time.
  private static let pause = Duration.milliseconds(250)

  private let client: HTTPClient
  /// Whether requests go to the endpoint that the monitor watches, so that their failures show the
  /// state of the path.
  private let asksWatched: Bool
  private let watching: Task<Void, Never>

  /// Creates a client for the server of a URL, and watches the path to it or to its proxy.
  ///
  /// - Throws: `TransferError`, also for an invalid URL; `NetworkMonitor.StartError`.
  public convenience init(of url: String, _ configuration: HTTPClient.Configuration) throws {
    let client = try HTTPClient(configuration: configuration)
    let target = try SondeTransfer.Endpoint(url: url)
    let proxy = target.flatMap { configuration.proxies.proxy(to: $0, withSecret: false) }
    let place = proxy.map { ($0.host, $0.port) } ?? target.map { ($0.host, $0.port) }
    let watched = place.flatMap { SondeReachability.Endpoint("\($0.0):\($0.1)", defaultPort: 443) }
    guard let watched else {
      throw TransferError(.misconfigured("the URL is not a valid http or https URL"))
    }
    let monitor = try NetworkMonitor(NetworkMonitor.Configuration(endpoint: watched))
    self.init(client, monitor, asksWatched: true)
  }

  /// Creates a client for other servers, which shares the path that a monitor already watches.
  ///
  /// - Throws: `TransferError`.
  public convenience init(
    with monitor: NetworkMonitor,
    _ configuration: HTTPClient.Configuration
  ) throws {
    let client = try HTTPClient(configuration: configuration)
    self.init(client, monitor, asksWatched: false)
  }

  private init(_ client: HTTPClient, _ monitor: NetworkMonitor, asksWatched: Bool) {
    (self.client, self.monitor, self.asksWatched) = (client, monitor, asksWatched)
    watching = Task {
      for await state in monitor.states() where !state.verdict.isOnline { client.giveUpAll() }
    }
  }

  deinit { watching.cancel() }

  /// Sends a request and waits for the whole answer, of any status, as long as there is a network.
  ///
  /// - Throws: ``NetworkLost``; `TransferError`; `CancellationError`.
  public func send(_ request: Request) async throws -> Response {
    let end = ContinuousClock.now + Self.longestSearch
    while true {
      // Read before the network's state: a loss in between abandons the request.
      let giveUps = client.giveUps
      if let loss = NetworkLost(monitor.state) { throw loss }
      do {
        return try await client.send(request, after: giveUps)
      } catch let error as TransferError
        where error.reason == .givenUp || asksWatched && error.evidence?.isLoss == true
      {
        if let loss = NetworkLost(monitor.state) { throw loss }
        guard error.evidence == .noRoute, .now < end else {
          throw NetworkLost(reason: "\(error)")
        }
        try await Task.sleep(for: Self.pause)
      }
    }
  }
}

/// There is no path to the server.
public struct NetworkLost: Error, CustomStringConvertible {
  /// The reason, in plain words.
  public let reason: String

  /// A fixed beginning, and the reason.
  public var description: String { "Network lost: \(reason)" }

  /// Creates an error.
  public init(reason: String) { self.reason = reason }

  /// Creates an error from a monitor's state; `nil` if there is a path, or its state is unknown.
  public init?(_ state: NetworkTransition?) {
    guard let state, !state.verdict.isOnline else { return nil }
    reason = state.reason ?? state.verdict.state
  }
}

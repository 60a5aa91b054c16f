public import SondeReachability
public import SondeTransfer

/// An HTTP client whose requests end as soon as the network is lost, which no time-out would notice
/// for long.
public final class WatchedClient: Sendable {
  /// Sees the path.
  public let monitor: NetworkMonitor

  /// For so long the kernel may look for a neighbour when a link has come back: what is sent meanwhile
  /// fails as if there were no route, and nobody has had it (`mcast_solicit` in arp(7)).
  private static let longestSearch = Duration.seconds(5)

  /// The time between two tries meanwhile.
  private static let pause = Duration.milliseconds(250)

  private let client: HTTPClient
  /// Whether what is asked is where the monitor looks, so that failures tell of the path, too.
  private let asksWatched: Bool
  private let watching: Task<Void, Never>

  /// Makes a client for one server, and watches the path there, or to the proxy before it.
  ///
  /// - Parameters:
  ///   - url: A URL of the server.
  ///   - configuration: How the client is set up.
  /// - Throws: `TransferError`, where the URL is none, too; `NetworkMonitor.StartError`.
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

  /// Makes a client for other servers, which has no other way out than what is watched already.
  ///
  /// - Parameters:
  ///   - monitor: What watches.
  ///   - configuration: How the client is set up.
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

  /// Sends a request and waits for the whole answer, while there is a network.
  ///
  /// - Parameter request: What to send.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``NetworkLost``; `TransferError`; `CancellationError`.
  public func send(_ request: Request) async throws -> Response {
    let end = ContinuousClock.now + Self.longestSearch
    while true {
      // Before the look at the network: a loss that comes between gives the request up.
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
  /// Why, for a person.
  public let reason: String

  /// The words that errors of a lost network begin with, and why it is.
  public var description: String { "Network lost: \(reason)" }

  /// Says why.
  public init(reason: String) { self.reason = reason }

  /// Takes the reason of what a monitor saw; `nil` where it sees a path, or nothing yet.
  public init?(_ state: NetworkTransition?) {
    guard let state, !state.verdict.isOnline else { return nil }
    reason = state.reason ?? state.verdict.state
  }
}

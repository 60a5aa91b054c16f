import SondeSystem
import Synchronization

/// Watches the paths to several endpoints; the network is online while enough of them are reachable.
///
/// Each endpoint has a monitor of its own. With a single one, the network's verdict is its own.
public final class EndpointGroup: Sendable {
  private struct State: Sendable {
    var quorum: Quorum
    /// The first states of endpoints, by their places, until the network's is known.
    var early: [(place: Int, event: NetworkEvent)] = []
  }

  private let monitors: [NetworkMonitor]
  private let state: Mutex<State>
  private let streams = Broadcast<NetworkEvent>()

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - configurations: One for each endpoint, at least one.
  ///   - quorum: The number of endpoints that must be reachable.
  ///   - probe: Makes the probe of an endpoint; `nil` for a ``ConnectionProbe``.
  /// - Throws: ``NetworkMonitor/StartError``.
  public init(
    _ configurations: [NetworkMonitor.Configuration],
    quorum: Int = 1,
    probe: (Endpoint) -> NetworkMonitor.MeasuringProbe? = { _ in nil }
  ) throws(NetworkMonitor.StartError) {
    var monitors: [NetworkMonitor] = []
    for configuration in configurations {
      let probe = probe(configuration.endpoint)
      monitors.append(try NetworkMonitor(configuration, measuring: probe))
    }
    self.monitors = monitors
    let names = configurations.map { "\($0.endpoint)" }
    state = Mutex(State(quorum: Quorum(of: names, needed: quorum)))
  }

  /// The changes of the network, of several endpoints and of interfaces; single pass.
  ///
  /// Subscribe before ``run()``. The network's first verdict comes first, once every endpoint has
  /// its own.
  public func events() -> AsyncStream<NetworkEvent> {
    monitors.count == 1
      ? monitors[0].events() : streams.stream(limit: NetworkMonitor.eventLimit)
  }

  /// Combines the endpoints' changes until the task is cancelled; ends at once with a single one.
  public func run() async {
    guard monitors.count > 1 else { return }
    await withDiscardingTaskGroup { group in
      for (place, monitor) in monitors.enumerated() {
        group.addTask {
          for await event in monitor.events() { self.take(event, of: place) }
        }
      }
    }
  }

  /// The network's first state; `nil` if the task is cancelled before.
  ///
  /// Call it instead of ``run()``.
  public func firstState() async -> NetworkTransition? {
    let events = events()
    let running = Task { await run() }
    defer { running.cancel() }
    for await case .network(let transition) in events { return transition }
    return nil
  }

  private func take(_ event: NetworkEvent, of place: Int) {
    switch event {
    case .network(let change): state.withLock { take(change, of: place, &$0) }
    // Every monitor sees the same interfaces.
    case .interface where place == 0: streams.send(event)
    case .interface, .endpoint: break
    }
  }

  private func take(_ change: NetworkTransition, of place: Int, _ state: inout State) {
    let told = state.quorum.told
    if change.verdict.cause == .captivePortal, told?.verdict.cause != .captivePortal {
      // A login page stands before the other endpoints, too.
      for monitor in monitors { monitor.report(.loginPage) }
    }
    let network = state.quorum.take(change, of: place)
    guard told == nil else {
      streams.send(.endpoint(change))
      if let network { streams.send(.network(network)) }
      return
    }
    state.early.append((place, .endpoint(change)))
    guard let network else { return }
    streams.send(.network(network))
    for place in monitors.indices {
      for early in state.early where early.place == place { streams.send(early.event) }
    }
    state.early = []
  }

  /// The current state of the network; layers and route are those to the first endpoint.
  public var currentStatus: NetworkStatus {
    var status = monitors[0].currentStatus
    guard monitors.count > 1 else { return status }
    let now = Moment.now
    let quorum = state.withLock { $0.quorum }
    (status.state, status.endpoint) = (quorum.told, quorum.name)
    (status.losses, status.offlineTime) = (
      quorum.losses.losses, quorum.losses.offlineTime(now: now)
    )
    return status
  }

  /// The current state of each endpoint, in their order.
  public var endpointStatuses: [NetworkStatus] { monitors.map(\.currentStatus) }
}

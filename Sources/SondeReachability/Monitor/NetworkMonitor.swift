import SondeSystem

/// Watches the path to an endpoint, and tells when it is lost, why, and when it is back.
///
/// It needs no privileges. It polls, and looks at once when the kernel announces a change. Whatever
/// blocks runs on separate threads. It runs until ``stop()`` or until it is released.
public final class NetworkMonitor: Sendable {
  /// What to watch, and how closely.
  public struct Configuration: Sendable {
    /// Where the path leads: the provider, or the proxy before it.
    public var endpoint: Endpoint

    /// The time between looks at the network, if nothing announces a change.
    public var interval: Duration = .milliseconds(250)

    /// The time between probes, besides the ones at the start and after changes; zero for none at all
    /// but those that look for the return of an endpoint after a transfer has reported its loss.
    public var probeInterval: Duration = .seconds(30)

    /// How long a probe may take, name resolution included.
    public var probeTimeout: Duration = .seconds(3)

    /// How long a state must last before it is told.
    public var settle: Duration = .zero

    /// Whether rtnetlink is used; without it polling alone finds changes.
    public var usesNetlink = true

    /// Makes a configuration with the usual times.
    public init(endpoint: Endpoint) { self.endpoint = endpoint }
  }

  /// Tries the path to the endpoint.
  ///
  /// It is called once the name is resolved. After ``Configuration/probeTimeout`` its result does not
  /// count any more; it is cancelled when the next one begins or the monitor ends.
  public typealias Probe = @Sendable () async -> Finding

  /// Why a monitor could not be started: the process has no thread or file descriptor to spare.
  public struct StartError: Error, Sendable, CustomStringConvertible {
    /// The reason, for a person.
    public var description: String { "the network monitor found no thread or descriptor to spare" }
  }

  /// How many events a subscriber may be behind before it loses the oldest; no more than a second's
  /// worth can come of the fastest flapping, and a reader that hangs must not fill the memory.
  public static let eventLimit = 4096

  private let hub: MonitorHub

  /// Starts watching.
  /// - Parameters:
  ///   - configuration: What to watch, and how closely.
  ///   - probe: Tries the path; a ``ConnectionProbe`` unless another is given.
  /// - Throws: ``StartError``.
  public init(_ configuration: Configuration, probe: Probe? = nil) throws(StartError) {
    guard let wake = try? WakePipe() else { throw StartError() }
    let hub = MonitorHub(wake: wake)
    self.hub = hub
    var configuration = configuration
    configuration.interval = max(configuration.interval, .milliseconds(10))
    let settled = configuration
    let thread = try? Thread {
      var loop = MonitorLoop(hub: hub, configuration: settled, probe: probe)
      loop.run()
    }
    guard let thread else { throw StartError() }
    thread.detach()
  }

  deinit { hub.stop() }

  /// Every change from now on, for any number of subscribers; the latest verdict comes first.
  ///
  /// Each stream is single pass, keeps the newest ``eventLimit`` events, and ends with ``stop()``.
  public func events() -> AsyncStream<NetworkEvent> { hub.events(limit: Self.eventLimit) }

  /// The verdict as it is now, and each time that it changes; of those not read in time, the newest.
  ///
  /// The first element is at most about a second away. Single pass; ends with ``stop()``.
  public func states() -> AsyncStream<NetworkTransition> { hub.states() }

  /// The verdict as it was told last; `nil` before the first.
  public var state: NetworkTransition? { hub.facts.told }

  /// The network as it is seen now, layer by layer.
  public var currentStatus: NetworkStatus { NetworkStatus(hub.facts, now: .now) }

  /// Takes what a transfer to the endpoint found out about the path; costs next to nothing.
  public func report(_ finding: Finding) { hub.report(finding) }

  /// Takes whether something besides the endpoint that requests need is gone; `nil` is that it is not.
  public func report(outage: NetworkOutage?) { hub.report(outage: outage) }

  /// Ends watching, and every stream.
  public func stop() { hub.stop() }
}

import SondeSystem

/// Watches the path to an endpoint, and reports when and why it is lost and when it is back.
///
/// It needs no privileges. It polls, and looks at once when the kernel announces a change. Blocking
/// calls run on separate threads. It runs until ``stop()`` is called or it is released.
public final class NetworkMonitor: Sendable {
  /// The endpoint, and how closely to watch the path to it.
  public struct Configuration: Sendable {
    /// The end of the path: the provider, or the proxy in front of it.
    public var endpoint: Endpoint

    /// The time between looks at the network if no change is announced.
    public var interval: Duration = .milliseconds(250)

    /// The time between regular probes; zero for none.
    ///
    /// Probes are also sent at the start, after changes, and, even with zero, to detect the return
    /// of an endpoint whose loss a transfer reported.
    public var probeInterval: Duration = .seconds(30)

    /// The time limit of a probe, including name resolution.
    public var probeTimeout: Duration = .seconds(3)

    /// How long a state must last before it is reported.
    public var settle: Duration = .zero

    /// From when on the open path is degraded; `nil` if that is not judged.
    ///
    /// If it is, a probe begins at every ``probeInterval``, even while earlier ones run, and the
    /// endpoint counts as unreachable only after ten failures in a row.
    public var limits: DegradedLimits?

    /// Why the open path was degraded when it was last watched; `nil` if it was not.
    ///
    /// It stays degraded until there are enough probes to judge it.
    public var earlier: DegradedCause?

    /// Whether to use rtnetlink; without it, changes are found by polling only.
    public var usesNetlink = true

    /// Creates a configuration with the default times.
    public init(endpoint: Endpoint) { self.endpoint = endpoint }
  }

  /// Tests the path to the endpoint.
  ///
  /// It is called after the name is resolved. After ``Configuration/probeTimeout`` its result is
  /// ignored; it is cancelled when the next probe begins or the monitor ends.
  public typealias Probe = @Sendable () async -> Finding

  /// Tests the path to the endpoint, and measures how it connects.
  public typealias MeasuringProbe = @Sendable () async -> Measurement

  /// The monitor could not be started because no thread or file descriptor is available.
  public struct StartError: Error, Sendable, CustomStringConvertible {
    /// The reason, in plain words.
    public var description: String { "the network monitor found no thread or descriptor to spare" }
  }

  /// The number of unread events per subscriber beyond which the oldest are dropped.
  ///
  /// The fastest flapping causes no more within a second, and a subscriber that hangs must not fill
  /// the memory.
  public static let eventLimit = 4096

  private let hub: MonitorHub

  /// Starts watching; by default, a ``ConnectionProbe`` tests the path.
  public convenience init(
    _ configuration: Configuration,
    probe: Probe? = nil
  ) throws(StartError) {
    guard let probe else {
      try self.init(configuration, measuring: nil)
      return
    }
    try self.init(configuration, measuring: { Measurement(await probe()) })
  }

  /// Starts watching with a probe that measures, too; by default, that is a ``ConnectionProbe``.
  public init(_ configuration: Configuration, measuring probe: MeasuringProbe?) throws(StartError) {
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

  /// All changes from now on, preceded by the latest verdict, for any number of subscribers.
  ///
  /// Each stream is single pass, keeps the newest ``eventLimit`` events, and ends with ``stop()``.
  public func events() -> AsyncStream<NetworkEvent> { hub.events(limit: Self.eventLimit) }

  /// The current verdict and its changes; of unread ones, only the newest is kept.
  ///
  /// The first element arrives after about one second at most. Single pass; ends with ``stop()``.
  public func states() -> AsyncStream<NetworkTransition> { hub.states() }

  /// What each probe from now on finds; single pass, keeps the newest ``eventLimit``, ends with
  /// ``stop()``.
  public func probes() -> AsyncStream<Measurement> { hub.probes(limit: Self.eventLimit) }

  /// The last verdict reported; `nil` before the first.
  public var state: NetworkTransition? { hub.facts.told }

  /// The current state of the network, layer by layer.
  public var currentStatus: NetworkStatus { NetworkStatus(hub.facts, now: .now) }

  /// Reports what a transfer to the endpoint showed about the path; costs almost nothing.
  public func report(_ finding: Finding) { hub.report(finding) }

  /// Reports that something else that requests need is unavailable; `nil` ends the outage.
  public func report(outage: NetworkOutage?) { hub.report(outage: outage) }

  /// Stops watching and ends all streams.
  public func stop() { hub.stop() }
}

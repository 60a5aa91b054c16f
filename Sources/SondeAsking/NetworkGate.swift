public import SondeReachability
import SondeRecords
public import SondeStore
import SondeSystem
import SondeTransfer
import Synchronization

/// How long addresses are held back while the network is lost.
public enum OfflinePatience: Sendable, Equatable {
  /// Ten seconds until the provider has answered once, from then on for ever.
  case standard
  /// For this long.
  case after(Duration)
  /// Until the network is back.
  case forever

  /// The time, for a provider that has or has not answered yet; `nil` is for ever.
  func limit(hasAnswered: Bool) -> Duration? {
    switch self {
    case .standard: hasAnswered ? nil : .seconds(10)
    case .after(let limit): limit
    case .forever: nil
    }
  }
}

/// The path to one provider, closed while the network is lost: asks a ``PathMachine``, and waits.
package final class NetworkGate: Sendable {
  /// Whether a request may go out.
  package enum Passage {
    case open
    /// Not within the patience; the reason is for the record.
    case lost(String)
  }

  private struct State {
    var machine: PathMachine
    /// `nil` also where the process has no thread to spare.
    var monitor: NetworkMonitor?
    /// Whether nobody is to wait any more.
    var isClosed = false
  }

  /// Starts a monitor.
  package typealias MonitorStart =
    @Sendable (
      NetworkMonitor.Configuration, @escaping NetworkMonitor.Probe
    ) throws(NetworkMonitor.StartError) -> NetworkMonitor

  private let endpoint: SondeReachability.Endpoint
  private let probe: PathProbe
  private let outage: @Sendable () -> LedgerOutage?
  private let report: EventHandler
  private let start: MonitorStart
  private let state: Mutex<State>
  private let change = Bell()
  private let beginning = Bell()

  /// Makes a gate that watches nothing yet.
  ///
  /// - Parameters:
  ///   - endpoint: Where the path leads.
  ///   - probe: Looks for the return.
  ///   - patience: How long ``pass(unless:)`` waits while it is closed.
  ///   - outage: Tells why nothing may be asked although the path is open, where that is so.
  ///   - start: Starts the monitor.
  ///   - report: Told of losses and returns.
  package init(
    to endpoint: SondeReachability.Endpoint,
    probe: PathProbe,
    patience: OfflinePatience,
    outage: @escaping @Sendable () -> LedgerOutage? = { nil },
    start: @escaping MonitorStart = { configuration, probe throws(NetworkMonitor.StartError) in
      try NetworkMonitor(configuration, probe: probe)
    },
    report: @escaping EventHandler
  ) {
    self.endpoint = endpoint
    self.probe = probe
    (self.outage, self.report, self.start) = (outage, report, start)
    state = Mutex(State(machine: PathMachine(endpoint: "\(endpoint)", patience: patience)))
  }

  /// Begins to watch the path, at the first question that wants it: a run that asks nobody does not
  /// even resolve a name.
  package func begin() {
    guard state.withLock({ $0.machine.begin(now: .now) }) else { return }
    var configuration = NetworkMonitor.Configuration(endpoint: endpoint)
    // The requests themselves are the regular probes.
    configuration.probeInterval = .zero
    do {
      let monitor = try start(configuration) { [probe] in await probe() }
      state.withLock { $0.monitor = monitor }
      monitor.report(outage: NetworkOutage(telling: outage()))
    } catch {
      state.withLock { $0.machine.goUnwatched() }
      report(.unwatched(reason: "\(error)"))
    }
    beginning.ring()
  }

  /// Whether the path is watched.
  var hasBegun: Bool { state.withLock { $0.machine.hasBegun } }

  /// The network as the monitor sees it now; `nil` before it watches.
  package var status: NetworkStatus? { monitor?.currentStatus }

  private var monitor: NetworkMonitor? { state.withLock { $0.monitor } }

  /// Whether a request may go out now.
  package var isOpen: Bool { decide { $0.isOpen(now: $1) } }

  /// Lets those who wait look whether there is another path now.
  func lookAgain() { change.ring() }

  /// Has nobody wait any more for the path to open.
  package func close() {
    state.withLock { $0.isClosed = true }
    change.ring()
  }

  /// Follows the monitor until the task is cancelled.
  ///
  /// - Parameters:
  ///   - giveUp: Called at each loss, to end the requests under way.
  ///   - tellOthers: Called after each change.
  package func watch(onLoss giveUp: (OfflineCause) -> Void, onChange tellOthers: () -> Void) async {
    guard (try? await beginning.wait(after: 0, until: nil)) != nil, let monitor else { return }
    for await event in monitor.events() {
      switch event {
      case .interface(let change): report(.interface(change))
      case .network(let transition):
        let isNews = state.withLock { $0.machine.take(transition, now: .now) }
        if let cause = transition.verdict.cause { giveUp(cause) }
        if isNews { report(.network(transition)) }
        state.withLock { $0.machine.noteTold() }
        change.ring()
        tellOthers()
      }
    }
  }

  /// Waits until the path is open, as long as the patience lasts.
  ///
  /// - Parameter diverts: Whether another provider's path is open, which is no reason to wait.
  /// - Returns: Whether a request may go out.
  /// - Throws: `CancellationError`, also where it would wait after ``close()``.
  package func pass(unless diverts: () -> Bool) async throws -> Passage {
    var otherSince: ContinuousClock.Instant?
    while true {
      let round = change.round
      let isLost = decide { $0.isLost(now: $1) }
      otherSince = isLost && diverts() ? otherSince ?? .now : nil
      switch decide({ $0.passage(otherSince: otherSince, now: $1) }) {
      case .open: return .open
      case .lost(let reason): return .lost(reason)
      case .wait(let moment):
        if state.withLock({ $0.isClosed }) { throw CancellationError() }
        try await change.wait(after: round, until: moment)
      }
    }
  }

  /// Looks whether the ledger is gone or back, and tells.
  package func noteOutage() {
    let outage = decide { machine, _ in machine.outage }
    monitor?.report(outage: NetworkOutage(telling: outage))
    change.ring()
  }

  /// Asks the machine, which knows of the ledger what is so at this moment.
  private func decide<Result>(_ question: (PathMachine, ContinuousClock.Instant) -> Result)
    -> Result
  {
    let (outage, now, wall) = (outage(), ContinuousClock.now, Timestamp.now)
    return state.withLock { state in
      state.machine.take(outage, now: now, wall: wall)
      return question(state.machine, now)
    }
  }

  /// Takes what an exchange found out about the path.
  package func take(_ finding: Finding) {
    probe.note(finding)
    state.withLock { $0.machine.take(finding, now: .now, wall: .now) }
    monitor?.report(finding)
  }
}

extension NetworkOutage {
  /// The outage of a ledger to report; `nil` while the ledger is there, or while an outage continues
  /// whose return was reported.
  public init?(telling outage: LedgerOutage?) {
    guard let outage, !outage.isContinued else { return nil }
    self.init(place: outage.place, reason: outage.reason)
  }
}

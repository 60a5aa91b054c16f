public import SondeReachability
import SondeRecords
public import SondeStore
import SondeSystem
import SondeTransfer
import Synchronization

/// How long addresses are held back while the network is lost.
public enum OfflinePatience: Sendable, Equatable {
  /// Ten seconds until the provider's first answer, then without limit.
  case standard
  /// For this long.
  case after(Duration)
  /// Until the network is back.
  case forever

  /// The time limit, depending on whether the provider has answered; `nil` for none.
  func limit(hasAnswered: Bool) -> Duration? {
    switch self {
    case .standard: hasAnswered ? nil : .seconds(10)
    case .after(let limit): limit
    case .forever: nil
    }
  }
}

/// The path to one provider, closed while the network is lost, as decided by a ``PathMachine``.
package final class NetworkGate: Sendable {
  /// The permission to send a request.
  package enum Passage {
    case open
    /// Refused for the whole patience; with the reason for the record.
    case lost(String)
  }

  private struct State {
    var machine: PathMachine
    /// `nil` also if no thread is available.
    var monitor: NetworkMonitor?
    /// Whether tasks may no longer wait.
    var isClosed = false
  }

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

  /// Creates a gate that watches nothing yet.
  ///
  /// `outage` returns why requests are not allowed although the path is open, if so.
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
    (self.endpoint, self.probe, self.outage, self.report) = (endpoint, probe, outage, report)
    self.start = start
    state = Mutex(State(machine: PathMachine(endpoint: "\(endpoint)", patience: patience)))
  }

  /// Starts to watch the path, at its first question; a run without requests resolves no name.
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

  /// Waits for a lost network as if the provider had answered.
  func noteEarlierAnswer() { state.withLock { $0.machine.noteEarlierAnswer() } }

  var hasBegun: Bool { state.withLock { $0.machine.hasBegun } }

  /// The state of the network by the monitor; `nil` before it starts.
  package var status: NetworkStatus? { monitor?.currentStatus }

  private var monitor: NetworkMonitor? { state.withLock { $0.monitor } }

  package var isOpen: Bool { decide { $0.isOpen(now: $1) } }

  /// Makes waiting tasks check whether there is another path now.
  func lookAgain() { change.ring() }

  /// Ends all waiting for the path to open.
  package func close() {
    state.withLock { $0.isClosed = true }
    change.ring()
  }

  /// Follows the monitor until the task is cancelled; `giveUp` ends running requests at each loss.
  package func watch(onLoss giveUp: (OfflineCause) -> Void, onChange tellOthers: () -> Void) async {
    guard (try? await beginning.wait(after: 0, until: nil)) != nil, let monitor else { return }
    for await event in monitor.events() {
      switch event {
      case .endpoint: break
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

  /// Waits until the path is open, within the patience.
  ///
  /// - Parameter diverts: Whether another provider's path is open, so that waiting is unnecessary.
  /// - Returns: Whether a request may be sent.
  /// - Throws: `CancellationError`, also instead of waiting after ``close()``.
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

  /// Checks whether the ledger is available, and reports changes.
  package func noteOutage() {
    let outage = decide { machine, _ in machine.outage }
    monitor?.report(outage: NetworkOutage(telling: outage))
    change.ring()
  }

  /// Asks the machine after updating it with the ledger's current state.
  private func decide<Result>(_ question: (PathMachine, ContinuousClock.Instant) -> Result)
    -> Result
  {
    let (outage, now, wall) = (outage(), ContinuousClock.now, Timestamp.now)
    return state.withLock { state in
      state.machine.take(outage, now: now, wall: wall)
      return question(state.machine, now)
    }
  }

  /// Handles an exchange's finding about the path.
  package func take(_ finding: Finding) {
    probe.note(finding)
    state.withLock { $0.machine.take(finding, now: .now, wall: .now) }
    monitor?.report(finding)
  }
}

extension NetworkOutage {
  /// Creates the outage of a ledger to report; `nil` while the ledger is available, or during a
  /// continued outage whose return was reported.
  public init?(telling outage: LedgerOutage?) {
    guard let outage, !outage.isContinued else { return nil }
    self.init(place: outage.place, reason: outage.reason)
  }
}

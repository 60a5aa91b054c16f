internal import Synchronization
import SondeSystem

/// The state that a monitor's thread shares with its users.
final class MonitorHub: Sendable {
  /// The result of a probe.
  struct ProbeResult: Sendable {
    var number: Int
    /// `nil` if the name did not resolve.
    var addresses: [SocketAddress]?
    var measurement: Measurement
  }

  /// The input that arrived since the thread last read it.
  struct Work: Sendable {
    /// Each finding once, because repeated answers carry no more information.
    var reports: [Finding] = []
    var probes: [ProbeResult] = []
    /// The outage that was reported since, or its end.
    var outage: NetworkOutage??
  }

  private struct State {
    var work = Work()
    var isStopped = false
    var facts = Facts()
  }

  /// Signalled when there is work.
  let wake: WakePipe
  private let state = Mutex(State())
  private let eventStreams = Broadcast<NetworkEvent>()
  private let stateStreams = Broadcast<NetworkTransition>()
  private let probeStreams = Broadcast<Measurement>()

  init(wake: WakePipe) { self.wake = wake }

  var facts: Facts { state.withLock { $0.facts } }

  // MARK: From the thread

  /// Takes the pending work; `nil` once the monitor is stopped.
  func take() -> Work? {
    state.withLock { state in
      guard !state.isStopped else { return nil }
      defer { state.work = Work() }
      return state.work
    }
  }

  /// Publishes facts, and sends the events that led to them to every subscriber.
  func publish(_ facts: Facts, _ events: [NetworkEvent]) {
    state.withLock { state in
      state.facts = facts
      // Under the lock, so that a new subscriber gets no verdict twice.
      for event in events {
        eventStreams.send(event)
        if case .network(let transition) = event { stateStreams.send(transition) }
      }
    }
  }

  // MARK: To the thread

  /// Adds a finding of a transfer.
  func report(_ finding: Finding) {
    let isUrgent = state.withLock { state in
      guard !state.work.reports.contains(finding) else { return false }
      state.work.reports.append(finding)
      // While the network is online, another answer changes nothing and waits for the next look.
      return finding != .answered || state.facts.told?.verdict.isOnline != true
    }
    if isUrgent { wake.ring() }
  }

  /// Sets or clears the outage of another requirement.
  func report(outage: NetworkOutage?) {
    state.withLock { $0.work.outage = .some(outage) }
    wake.ring()
  }

  func post(_ result: ProbeResult) {
    state.withLock { $0.work.probes.append(result) }
    probeStreams.send(result.measurement)
    wake.ring()
  }

  /// Ends the thread and all streams.
  func stop() {
    state.withLock { $0.isStopped = true }
    wake.ring()
    eventStreams.close()
    stateStreams.close()
    probeStreams.close()
  }

  // MARK: Subscribers

  /// All events from now on, preceded by the latest verdict.
  func events(limit: Int) -> AsyncStream<NetworkEvent> {
    state.withLock { state in
      eventStreams.stream(limit: limit, beginningWith: state.facts.told.map { .network($0) })
    }
  }

  /// The results of all probes from now on.
  func probes(limit: Int) -> AsyncStream<Measurement> { probeStreams.stream(limit: limit) }

  /// The latest verdict, and every later one that is read before the next.
  func states() -> AsyncStream<NetworkTransition> {
    state.withLock { stateStreams.stream(limit: 1, beginningWith: $0.facts.told) }
  }
}

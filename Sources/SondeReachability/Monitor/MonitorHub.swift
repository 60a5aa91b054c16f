internal import Synchronization
import SondeSystem

/// The state that a monitor's thread shares with its users.
final class MonitorHub: Sendable {
  /// The result of a probe.
  struct ProbeResult: Sendable {
    var number: Int
    /// `nil` if the name did not resolve.
    var addresses: [SocketAddress]?
    var finding: Finding
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
    var lastNumber = 0
    var events: [Int: AsyncStream<NetworkEvent>.Continuation] = [:]
    var states: [Int: AsyncStream<NetworkTransition>.Continuation] = [:]
  }

  /// Signalled when there is work.
  let wake: WakePipe
  private let state = Mutex(State())

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
    let (eventStreams, stateStreams) = state.withLock { state in
      state.facts = facts
      return events.isEmpty ? ([], []) : (Array(state.events.values), Array(state.states.values))
    }
    for event in events {
      for stream in eventStreams { stream.yield(event) }
      guard case .network(let transition) = event else { continue }
      for stream in stateStreams { stream.yield(transition) }
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
    wake.ring()
  }

  /// Ends the thread and all streams.
  func stop() {
    let (events, states) = state.withLock { state in
      state.isStopped = true
      defer { (state.events, state.states) = ([:], [:]) }
      return (Array(state.events.values), Array(state.states.values))
    }
    wake.ring()
    for stream in events { stream.finish() }
    for stream in states { stream.finish() }
  }

  // MARK: Subscribers

  /// All events from now on, preceded by the latest verdict.
  func events(limit: Int) -> AsyncStream<NetworkEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
      subscribe(continuation, \.events) { .network($0) }
    }
  }

  /// The latest verdict, and every later one that is read before the next.
  func states() -> AsyncStream<NetworkTransition> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      subscribe(continuation, \.states) { $0 }
    }
  }

  private func subscribe<Element>(
    _ continuation: AsyncStream<Element>.Continuation,
    _ list: sending WritableKeyPath<State, [Int: AsyncStream<Element>.Continuation]>,
    _ wrap: (NetworkTransition) -> Element
  ) {
    let number: Int? = state.withLock { state in
      // Under the lock, so that no later event precedes it; without readers, no continuation runs.
      if let told = state.facts.told { continuation.yield(wrap(told)) }
      guard !state.isStopped else { return nil }
      state.lastNumber += 1
      state[keyPath: list][state.lastNumber] = continuation
      return state.lastNumber
    }
    guard let number else { return continuation.finish() }
    continuation.onTermination = { [weak self] _ in self?.unsubscribe(number) }
  }

  private func unsubscribe(_ number: Int) {
    state.withLock { state in
      state.events[number] = nil
      state.states[number] = nil
    }
  }
}

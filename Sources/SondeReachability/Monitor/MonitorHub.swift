internal import Synchronization
import SondeSystem

/// What a monitor's thread and everybody else share.
final class MonitorHub: Sendable {
  /// A probe's end.
  struct ProbeResult: Sendable {
    var number: Int
    /// `nil` if the name did not resolve.
    var addresses: [SocketAddress]?
    var finding: Finding
  }

  /// What has come in since the thread's last look.
  struct Work: Sendable {
    /// Each finding once: ten thousand answers tell no more than one.
    var reports: [Finding] = []
    var probes: [ProbeResult] = []
    /// What is gone now, or nothing, where that has been told anew.
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

  /// Rings when there is work.
  let wake: WakePipe
  private let state = Mutex(State())

  init(wake: WakePipe) { self.wake = wake }

  /// All that is known now.
  var facts: Facts { state.withLock { $0.facts } }

  // MARK: From the thread

  /// Takes what has come in; `nil` once the monitor is stopped.
  func take() -> Work? {
    state.withLock { state in
      guard !state.isStopped else { return nil }
      defer { state.work = Work() }
      return state.work
    }
  }

  /// Makes facts known, and tells every subscriber of the events that led to them.
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

  /// Takes a finding of a transfer.
  func report(_ finding: Finding) {
    let isUrgent = state.withLock { state in
      guard !state.work.reports.contains(finding) else { return false }
      state.work.reports.append(finding)
      // While the network is online, another answer is no news: it waits for the next look.
      return finding != .answered || state.facts.told?.verdict.isOnline != true
    }
    if isUrgent { wake.ring() }
  }

  /// Takes whether something else is gone.
  func report(outage: NetworkOutage?) {
    state.withLock { $0.work.outage = .some(outage) }
    wake.ring()
  }

  /// Takes the end of a probe.
  func post(_ result: ProbeResult) {
    state.withLock { $0.work.probes.append(result) }
    wake.ring()
  }

  /// Ends the thread and every stream.
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

  /// Every event from now on, the latest verdict first.
  func events(limit: Int) -> AsyncStream<NetworkEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
      subscribe(continuation, \.events) { .network($0) }
    }
  }

  /// The latest verdict, and each later one if it is read in time.
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
      // Within the lock, so that nothing later comes first; nobody reads yet, so nobody is called.
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

internal import Glibc

/// What a monitor's thread does: looks, waits for the kernel to call, and asks the machine.
struct MonitorLoop: ~Copyable {
  private let hub: MonitorHub
  private let configuration: NetworkMonitor.Configuration
  private let probe: NetworkMonitor.Probe?
  private var observer: Observer
  private var notices: NetlinkSocket?
  private var machine: VerdictMachine
  private var addresses: [SocketAddress]?
  private var probeTask: Task<Void, Never>?
  private var events: [NetworkEvent] = []

  private var nextLook: Duration
  private var lastLook: Duration = .zero
  /// The least time between two looks, so that a storm of notices costs a tenth of a core at most.
  private var pause: Duration = .zero
  /// When to look once more after a notice, for the kernel tells of a change while it is making it.
  private var secondLook: Duration?
  private var isNoticed = false

  init(hub: MonitorHub, configuration: NetworkMonitor.Configuration, probe: NetworkMonitor.Probe?) {
    self.hub = hub
    self.configuration = configuration
    self.probe = probe
    observer = Observer(usesNetlink: configuration.usesNetlink)
    notices = configuration.usesNetlink ? NetlinkSocket(groups: watchedGroups) : nil
    addresses = configuration.endpoint.literalAddresses
    machine = VerdictMachine(
      VerdictMachine.Settings(
        endpoint: configuration.endpoint.description,
        settle: configuration.settle,
        probeInterval: configuration.probeInterval,
        probeTimeout: configuration.probeTimeout
      )
    )
    nextLook = steadyTime()
  }

  /// Runs until the monitor is stopped.
  mutating func run() {
    while let work = hub.take() {
      for finding in work.reports { handle(.reported(finding)) }
      for result in work.probes { take(result) }
      if nextLook <= steadyTime() { look() } else { handle(.timePassed) }
      hub.publish(facts, events)
      events = []
      sleep()
    }
    probeTask?.cancel()
  }

  private mutating func handle(_ event: VerdictMachine.Event) {
    for action in machine.handle(event, now: .now) {
      switch action {
      case .tell(let transition): events.append(.network(transition))
      case .probe(let number, let connects): start(number, connects: connects)
      }
    }
  }

  private var facts: Facts {
    var degradations = observer.degradations
    if notices == nil { degradations.append(Degradation(.notifications)) }
    return Facts(
      endpoint: configuration.endpoint.description,
      view: machine.view,
      judgement: machine.judgement,
      evidence: machine.evidence,
      told: machine.told,
      losses: machine.losses,
      degradations: degradations
    )
  }
}

// MARK: - Looking

extension MonitorLoop {
  private mutating func look() {
    let start = steadyTime()
    let before = machine.view?.interfaces
    let view = observer.look(
      targets: addresses ?? standInsForUnresolvedEndpoint(),
      isResolved: addresses != nil,
      kindsMayHaveChanged: isNoticed
    )
    let end = Moment.now
    isNoticed = false
    lastLook = start
    pause = min(max((end.steady - start) * 10, .milliseconds(2)), configuration.interval)
    if let second = secondLook, second <= start { secondLook = nil }
    nextLook = start + configuration.interval
    if let second = secondLook { nextLook = min(nextLook, second) }
    if let before, let after = view.interfaces, before != after {
      events += InterfaceChange.all(from: before, to: after, at: end).map { .interface($0) }
    }
    handle(.looked(view))
  }

  private mutating func sleep() {
    let deadline = min(nextLook, machine.nextDeadline ?? nextLook)
    var entries = [hub.wake.readEnd, notices?.descriptor ?? -1].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let milliseconds = (deadline - steadyTime()).wholeMilliseconds
    guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
    if entries[0].revents != 0 { hub.wake.clear() }
    if entries[1].revents != 0 { takeNotices() }
  }

  private mutating func takeNotices() {
    if notices?.drain() == false { notices = nil }
    let now = steadyTime()
    isNoticed = true
    nextLook = min(nextLook, max(now, lastLook + pause))
    secondLook = now + .milliseconds(10)
  }
}

// MARK: - Probing

extension MonitorLoop {
  private mutating func start(_ number: Int, connects: Bool) {
    probeTask?.cancel()
    let connection = ConnectionProbe(
      endpoint: configuration.endpoint,
      timeout: configuration.probeTimeout
    )
    probeTask = Task { [hub, probe] in
      var result = MonitorHub.ProbeResult(number: number, finding: .notResolved)
      result.addresses = await connection.resolve()
      if let addresses = result.addresses, !Task.isCancelled {
        result.finding =
          if !connects { .inconclusive } else if let probe { await probe() } else {
            await connection.connect(to: addresses)
          }
      }
      hub.post(result)
    }
  }

  private mutating func take(_ result: MonitorHub.ProbeResult) {
    handle(.probed(result.number, result.finding))
    // The same addresses in another order are no news: name servers turn them round.
    guard let fresh = result.addresses, addresses.map({ Set($0) }) != Set(fresh) else { return }
    addresses = fresh
    nextLook = min(nextLook, lastLook + pause)
  }
}

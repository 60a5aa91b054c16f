internal import Glibc
import SondeSystem

/// The loop of a monitor's thread: observes, waits for notifications, runs the state machine.
struct MonitorLoop: ~Copyable {
  private let hub: MonitorHub
  private let configuration: NetworkMonitor.Configuration
  private let probe: NetworkMonitor.MeasuringProbe?
  private var observer: Observer
  private var notices: NetlinkSocket?
  private var machine: VerdictMachine
  private var addresses: [SocketAddress]?
  private var probeTask: Task<Void, Never>?
  /// When and on which path the name was last resolved, unless probes have failed since.
  private var resolved: (at: Duration, judgement: PathJudgement)?
  private var events: [NetworkEvent] = []

  private var nextLook: Duration
  private var lastLook: Duration = .zero
  /// The shortest time between two looks, so that a storm of notifications uses at most a tenth of
  /// a core.
  private var pause: Duration = .zero
  /// When to look again after a notification, because the kernel sends it while the change is in
  /// progress.
  private var secondLook: Duration?
  private var isNoticed = false
  /// When to look at the path alone, which is cheaper.
  private var nextPathLook: Duration?
  private var lastPathLook: Duration = .zero
  /// Until when to look at the path between full looks: after one change of a link, the kernel
  /// delays its notification of the next one by up to a second.
  private var alertEnd: Duration

  init(
    hub: MonitorHub,
    configuration: NetworkMonitor.Configuration,
    probe: NetworkMonitor.MeasuringProbe?
  ) {
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
        probeTimeout: configuration.probeTimeout,
        limits: configuration.limits,
        earlier: configuration.earlier
      )
    )
    nextLook = Clocks.steady
    alertEnd = nextLook + Self.alert
    nextPathLook = nextLook
  }

  /// Runs until the monitor is stopped.
  mutating func run() {
    while let work = hub.take() {
      // A layer that has just broken is the cause, not its consequences.
      if work.reports.contains(where: \.speaksOfLoss) { look() }
      for finding in work.reports { handle(.reported(finding)) }
      for result in work.probes { take(result) }
      if let outage = work.outage { handle(.lacked(outage)) }
      if let due = nextPathLook, due <= Clocks.steady { lookAtPath() }
      if nextLook <= Clocks.steady { look() } else { handle(.timePassed) }
      publish()
      sleep()
    }
    probeTask?.cancel()
  }

  private mutating func publish() {
    hub.publish(facts, events)
    events = []
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
      connect: machine.connect,
      losses: machine.losses,
      degradations: degradations
    )
  }
}

// MARK: - Looking

extension MonitorLoop {
  private mutating func look() {
    let start = Clocks.steady
    let view = observer.look(
      targets: targets,
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
    take(view, at: end)
  }

  /// Sends events for all changes since the last look, starting with interfaces.
  private mutating func take(_ view: View, at moment: Moment) {
    if let before = machine.view?.interfaces, let after = view.interfaces, before != after {
      events += InterfaceChange.all(from: before, to: after, at: moment).map { .interface($0) }
    }
    handle(.looked(view))
  }

  private var targets: [SocketAddress] { addresses ?? standInsForUnresolvedEndpoint() }

  /// Looks at the path alone, and handles any change at once.
  private mutating func lookAtPath() {
    let now = Clocks.steady
    lastPathLook = now
    nextPathLook = now < alertEnd ? now + .milliseconds(10) : nil
    guard let former = machine.view, let judged = machine.judgement.interface,
      let view = observer.lookAtPath(former, judged: judged, targets: targets)
    else { return }
    take(view, at: .now)
    if !events.isEmpty { publish() }
  }

  /// Sleeps until the next deadline or input.
  private mutating func sleep() {
    var entries = [hub.wake.readEnd, notices?.descriptor ?? -1].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let deadline = [nextLook, machine.nextDeadline, nextPathLook].compactMap(\.self).min()
    let milliseconds = ((deadline ?? nextLook) - Clocks.steady).wholeMilliseconds
    guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
    if entries[0].revents != 0 { hub.wake.clear() }
    if entries[1].revents != 0 { takeNotices() }
  }

  private static var alert: Duration { .milliseconds(1200) }

  private mutating func takeNotices() {
    let now = Clocks.steady
    switch notices?.drain() {
    case .link: alertEnd = now + Self.alert
    case .other: break
    case nil: notices = nil
    }
    isNoticed = true
    nextLook = min(nextLook, max(now, lastLook + pause))
    nextPathLook = max(now, lastPathLook + .milliseconds(2))
    secondLook = now + .milliseconds(10)
  }
}

// MARK: - Probing

extension MonitorLoop {
  private mutating func start(_ number: Int, connects: Bool) {
    // Overlapping probes end by themselves.
    if configuration.limits == nil { probeTask?.cancel() }
    let connection = ConnectionProbe(
      endpoint: configuration.endpoint,
      timeout: configuration.probeTimeout
    )
    let known = knownAddresses
    probeTask = Task { [hub, probe] in
      var result = MonitorHub.ProbeResult(number: number, measurement: Measurement(.notResolved))
      result.addresses = if let known { known } else { await connection.resolve() }
      if let addresses = result.addresses, !Task.isCancelled {
        result.measurement =
          if !connects { Measurement(.inconclusive) } else if let probe { await probe() } else {
            await connection.connect(to: addresses)
          }
      }
      hub.post(result)
    }
  }

  /// How long a name need not be resolved again by probes that follow each other quickly.
  private static var freshness: Duration { .seconds(30) }

  /// The addresses, if probes are so frequent that the name need not be resolved for each.
  private var knownAddresses: [SocketAddress]? {
    guard configuration.limits != nil, let resolved, Clocks.steady - resolved.at < Self.freshness,
      machine.judgement.isSamePath(as: resolved.judgement)
    else { return nil }
    return addresses
  }

  private mutating func note(_ result: MonitorHub.ProbeResult) {
    if result.measurement.finding.speaksOfLoss {
      resolved = nil
    } else if result.addresses != nil, knownAddresses == nil {
      resolved = (Clocks.steady, machine.judgement)
    }
  }

  private mutating func take(_ result: MonitorHub.ProbeResult) {
    note(result)
    // Name servers rotate addresses, so a different order is no change.
    if let fresh = result.addresses, addresses.map({ Set($0) }) != Set(fresh) {
      addresses = fresh
      look()
    }
    if result.measurement.finding.speaksOfLoss { look() }
    handle(.probed(result.number, result.measurement))
  }
}

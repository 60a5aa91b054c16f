internal import Glibc
import System

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
  /// Until when the carrier is glanced at between looks: after one change of a link the kernel holds
  /// its notice of the next one back for up to a second.
  private var alertEnd: Duration
  private var nextGlance: Duration?
  private var glimpse: (name: String, hasCarrier: Bool)?

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
    nextLook = Clocks.steady
    alertEnd = nextLook + Self.alert
  }

  /// Runs until the monitor is stopped.
  mutating func run() {
    while let work = hub.take() {
      // A layer that has just broken is the cause, not what broke because of it.
      if work.reports.contains(where: \.speaksOfLoss) { look() }
      for finding in work.reports { handle(.reported(finding)) }
      for result in work.probes { take(result) }
      if nextLook <= Clocks.steady { look() } else { handle(.timePassed) }
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
    let start = Clocks.steady
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
    nextGlance = start
  }

  /// Sleeps until something is to be done.
  private mutating func sleep() {
    var entries = [hub.wake.readEnd, notices?.descriptor ?? -1].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let deadline = machine.nextDeadline.map { min(nextLook, $0) } ?? nextLook
    while true {
      let end = min(deadline, nextGlance ?? deadline)
      let milliseconds = (end - Clocks.steady).wholeMilliseconds
      if unsafe poll(&entries, nfds_t(entries.count), milliseconds) != 0 { break }
      if deadline <= Clocks.steady || sawCarrierChange() { return }
    }
    if entries[0].revents != 0 { hub.wake.clear() }
    if entries[1].revents != 0 { takeNotices() }
  }

  private static var alert: Duration { .milliseconds(1200) }

  /// Glances at the carrier of the interface that counts; once it has changed, a look is due.
  private mutating func sawCarrierChange() -> Bool {
    let now = Clocks.steady
    guard now < alertEnd, let name = machine.judgement.interface,
      let hasCarrier = observer.hasCarrier(name)
    else {
      nextGlance = nil
      return false
    }
    let isChanged = glimpse.map { $0.name == name && $0.hasCarrier != hasCarrier } ?? false
    glimpse = (name, hasCarrier)
    nextGlance = now + .milliseconds(10)
    if isChanged { nextLook = now }
    return isChanged
  }

  private mutating func takeNotices() {
    let now = Clocks.steady
    switch notices?.drain() {
    case .link: alertEnd = now + Self.alert
    case .other: break
    case nil: notices = nil
    }
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
    // The same addresses in another order are no news: name servers turn them round.
    if let fresh = result.addresses, addresses.map({ Set($0) }) != Set(fresh) {
      addresses = fresh
      look()
    }
    if result.finding.speaksOfLoss { look() }
    handle(.probed(result.number, result.finding))
  }
}

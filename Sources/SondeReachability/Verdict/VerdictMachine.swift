/// Decides whether the network is available: a pure value that is passed observations and the time.
struct VerdictMachine: Sendable {
  /// The times and names that it uses.
  struct Settings: Sendable {
    /// The endpoint's name, for reports.
    var endpoint = ""
    /// How long a state must last before it is reported.
    var settle: Duration = .zero
    /// The time between regular probes; zero for none.
    var probeInterval: Duration = .seconds(30)
    var probeTimeout: Duration = .seconds(3)
    /// From when on an open path is degraded; `nil` if that is not judged.
    var limits: DegradedLimits?
    /// Why it was degraded when it was last watched; `nil` if it was not.
    var earlier: DegradedCause?
  }

  /// An input of the machine.
  enum Event: Sendable {
    case looked(View)
    case reported(Finding)
    case probed(Int, Measurement)
    case lacked(NetworkOutage?)
    case timePassed
  }

  /// An output of the machine.
  enum Action: Hashable, Sendable {
    case tell(NetworkTransition)
    /// Resolve the endpoint's name, and connect to it if `connects`; report with this number.
    case probe(Int, connects: Bool)
  }

  /// The evidence about the path beyond this machine's own layers.
  enum Evidence: Hashable, Sendable {
    case none
    /// No evidence against it.
    case assumed
    case open
    case closed(Finding)
  }

  /// How long the first verdict waits for the probe.
  static let patience = Duration.seconds(1)

  /// How long a broken layer initially waits for a name that needs no network, such as `localhost`.
  static let namePatience = Duration.milliseconds(100)

  /// How long after an answer a single failed connection is verified before it counts.
  static let trust = Duration.seconds(2)

  private(set) var view: View?
  private(set) var judgement = PathJudgement()
  private(set) var evidence = Evidence.none
  private(set) var losses = LossTally()
  /// Something else that requests need and that is unavailable.
  private var outage: NetworkOutage?
  private var judge = PathJudge()
  private var probes: ProbeSchedule
  private var settling: Settling
  private var begin: Duration?
  private var lastAnswer: Duration?
  private var isSuspected = false
  /// Whether a layer has recovered without an answer since.
  ///
  /// Packets sent while it was broken fail late: the kernel tries to resolve a neighbour for three
  /// seconds, and packets sent meanwhile fail with it ("no route to host"; `mcast_solicit` and
  /// `retrans_time_ms` in arp(7)).
  private var isUnproved = false
  /// A judgement that a probe has disproved, because drivers do not always know their own carrier.
  private var overruled: PathJudgement?
  private var window: QualityWindow?
  /// The time to connect of the last probe that did, while the path is open.
  private(set) var connect: Duration?

  init(_ settings: Settings) {
    window = settings.limits.map { QualityWindow($0, after: settings.earlier) }
    probes = ProbeSchedule(
      interval: settings.probeInterval,
      timeout: settings.probeTimeout,
      overlaps: settings.limits != nil
    )
    settling = Settling(settle: settings.settle, endpoint: settings.endpoint)
  }

  /// The last verdict reported.
  var told: NetworkTransition? { settling.told }

  /// The next moment at which time alone changes the state.
  var nextDeadline: Duration? {
    var moments = [probes.due, probes.deadline, settling.due]
    if told == nil, let begin {
      moments += [begin + Self.namePatience, begin + Self.patience].map { $0 > latest ? $0 : nil }
    }
    return moments.compactMap { $0 }.min()
  }

  private var latest: Duration = .zero

  /// Handles an event; returns the actions to take, in order.
  mutating func handle(_ event: Event, now: Moment) -> [Action] {
    latest = now.steady
    switch event {
    case .looked(let view): look(view, now: now.steady)
    case .reported(let finding): report(finding, now: now.steady)
    case .probed(let number, let result): endProbe(number, result, now: now.steady)
    case .lacked(let outage): self.outage = outage
    case .timePassed: break
    }
    while let deadline = probes.deadline, deadline <= now.steady, let late = probes.attempts.first {
      endProbe(late.number, Measurement(silence), now: now.steady)
    }
    let actions = startProbe(now: now.steady) + tell(now: now)
    // What was measured before an outage says nothing about the path after it.
    if !verdict.isOnline { (window, connect) = (window?.cleared, nil) }
    return actions
  }
}

// MARK: - The verdict

extension VerdictMachine {
  /// The broken layer, unless a probe has disproved it.
  private var brokenLayer: OfflineCause? { judgement == overruled ? nil : judgement.cause }

  /// The current verdict, reported or not.
  var verdict: Verdict {
    if let cause = brokenLayer { return .offline(cause) }
    return switch evidence {
    case .none, .assumed, .open:
      outage == nil
        ? window?.cause.map { .degraded($0) } ?? .online : .offline(.sharedUnreachable)
    case .closed(.loginPage): .offline(.captivePortal)
    case .closed: .offline(.unreachable)
    }
  }

  /// The finding about the endpoint, if that is the cause.
  private var finding: Finding? {
    if brokenLayer == nil, case .closed(let finding) = evidence { finding } else { nil }
  }

  private var isOutage: Bool { verdict == .offline(.sharedUnreachable) }

  /// The meaning of silence: while the endpoint is unresolved, the name servers are silent.
  private var silence: Finding { view?.isResolved == false ? .notResolved : .timedOut }

  private mutating func tell(now: Moment) -> [Action] {
    guard isReady(now: now.steady),
      let transition = settling.take(
        verdict,
        interface: isOutage ? nil : judgement.interface,
        finding: finding,
        outage: isOutage ? outage : nil,
        quality: window?.quality,
        connect: connect,
        now: now
      )
    else { return [] }
    losses.count(transition)
    return [.tell(transition)]
  }

  /// Whether enough is known for a first verdict; later ones are corrected as evidence arrives.
  private mutating func isReady(now: Duration) -> Bool {
    guard told == nil else { return true }
    guard let begin, let view else { return false }
    if brokenLayer != nil { return view.isResolved || now >= begin + Self.namePatience }
    if evidence == .none, now >= begin + Self.patience {
      // Silence for this long counts as a loss, which a later answer corrects; where it is usual, as
      // on a path that was lossy when it was last watched, only several in a row do.
      evidence = isKnownBad ? .assumed : .closed(silence)
    }
    return evidence != .none
  }
}

// MARK: - What is seen

extension VerdictMachine {
  private mutating func look(_ view: View, now: Duration) {
    guard view != self.view else { return }
    let former = self.view
    let formerJudgement = judgement
    self.view = view
    judgement = judge.judge(view)
    guard let former else {
      begin = now
      return probes.restart(now: now)
    }
    if !judgement.isSamePath(as: formerJudgement) {
      // The probe has resolved the name meanwhile, which does not change the path.
      let isNews = former.isResolved || !view.isResolved
      takePath(insteadOf: formerJudgement, isNews: isNews, now: now)
    } else if view.interfaces != former.interfaces {
      probes.hastenGently(now: now)
    }
  }

  private mutating func takePath(insteadOf former: PathJudgement, isNews: Bool, now: Duration) {
    overruled = nil
    guard isNews else { return }
    // Findings from before a layer broke do not apply to the path after it.
    if judgement.cause != nil || former.cause != nil { evidence = told == nil ? .none : .assumed }
    isUnproved = former.cause != nil && judgement.cause == nil
    (isSuspected, lastAnswer) = (false, nil)
    probes.restart(now: now)
  }

  private mutating func report(_ finding: Finding, now: Duration) {
    // Requests in progress when a layer breaks were sent before.
    guard brokenLayer == nil else { return }
    switch finding {
    case .answered, .provedOpen: reportOpen(finding, now: now)
    case .notResolved, .timedOut, .noRoute, .notPermitted: reportSilence(finding, now: now)
    case .loginPage: meetLoginPage(now: now)
    case .inconclusive: break
    }
  }

  private mutating func reportOpen(_ finding: Finding, now: Duration) {
    guard finding == .answered || evidence != .closed(.loginPage) else { return }
    open(finding, now: now)
    lastAnswer = now
  }

  private mutating func reportSilence(_ finding: Finding, now: Duration) {
    if case .closed = evidence { return }
    let isAnsweredLately = lastAnswer.map { now - $0 < Self.trust } ?? false
    if isAnsweredLately || isUnproved {
      isSuspected = true
    } else {
      evidence = .closed(finding)
    }
    probes.hasten(now: now)
  }

  private mutating func meetLoginPage(now: Duration) {
    // Requests that were in progress at the same time fail together and count as one finding.
    guard evidence != .closed(.loginPage) else { return }
    evidence = .closed(.loginPage)
    probes.pause()
    probes.backOffFromLoginPage(now: now)
  }

  private mutating func open(_ finding: Finding, now: Duration) {
    evidence = .open
    (isSuspected, isUnproved) = (false, false)
    if finding == .answered { probes.forgetLoginPages() }
    probes.rest(now: now)
  }
}

// MARK: - Probes

extension VerdictMachine {
  /// Whether a probe would be informative.
  ///
  /// It is not while a layer is broken, unless the kernel would send anyway or the name may still
  /// turn out to be local.
  private var canProbe: Bool {
    guard let cause = brokenLayer else { return true }
    return view?.isResolved == false || (cause == .linkDown && judgement.route != nil)
  }

  /// Whether a probe connects: without regular probes, only if the state is in doubt.
  private var connects: Bool {
    if case .closed = evidence { return true }
    return probes.interval > .zero || isSuspected
  }

  private mutating func startProbe(now: Duration) -> [Action] {
    guard let due = probes.due, due <= now else { return [] }
    guard canProbe else {
      probes.pause()
      return []
    }
    let number = probes.start(now: now, judgement: judgement, isFirst: told == nil)
    return [.probe(number, connects: connects)]
  }

  private mutating func endProbe(_ number: Int, _ result: Measurement, now: Duration) {
    guard let attempt = probes.finish(number) else { return }
    let measurement = afterOutage(result)
    window?.add(measurement)
    let finding = result.finding
    switch finding {
    case .answered, .provedOpen:
      if judgement.cause != nil, attempt.judgement == judgement { overruled = judgement }
      if case .closed = evidence { probes.ignore(before: attempt) }
      connect = result.connect
      open(finding, now: now)
    case .notResolved where isUnproved, .noRoute where isUnproved:
      (isSuspected, isUnproved) = (true, false)
      probes.hasten(now: now)
    case .notResolved, .timedOut, .noRoute, .notPermitted:
      (isSuspected, isUnproved) = (false, false)
      if endsPath { (overruled, evidence) = (nil, .closed(finding)) }
      probes.backOff(now: now)
    case .loginPage:
      evidence = .closed(.loginPage)
      probes.backOffFromLoginPage(now: now)
    case .inconclusive: endInconclusiveProbe(now: now)
    }
  }

  /// The result of the probe that ends an outage: packets lost in it are no loss of the path after it.
  private func afterOutage(_ result: Measurement) -> Measurement {
    guard case .closed = evidence else { return result }
    return Measurement(result.finding, connect: result.connect)
  }

  /// Whether a failure closes the path: where its quality is judged, after several in a row.
  private var endsPath: Bool {
    guard let window else { return true }
    return switch evidence {
    case .closed: true
    case .none: !isKnownBad || window.hasFailed
    case .assumed, .open: window.hasFailed
    }
  }

  /// Whether the path was degraded when it was last watched, and is not judged yet.
  private var isKnownBad: Bool { window?.isInherited ?? false }

  private mutating func endInconclusiveProbe(now: Duration) {
    isSuspected = false
    switch evidence {
    case .none:
      evidence = .assumed
      probes.rest(now: now)
    case .assumed, .open: probes.rest(now: now)
    case .closed: probes.backOff(now: now)
    }
  }
}

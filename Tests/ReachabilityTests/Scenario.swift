import Testing

@testable import SondeReachability

/// Plays events to a verdict machine on a clock moved by hand.
struct Scenario {
  private(set) var machine: VerdictMachine
  private(set) var told: [NetworkTransition] = []
  /// Numbers of the probes asked for that were not answered yet.
  private(set) var probes: [Int] = []
  private(set) var connecting = 0
  private(set) var started = 0
  private var steady: Duration = .seconds(1000)

  init(
    settle: Duration = .zero,
    probeInterval: Duration = .seconds(30),
    limits: DegradedLimits? = nil,
    after earlier: DegradedCause? = nil
  ) {
    machine = VerdictMachine(
      .init(
        endpoint: "provider:80",
        settle: settle,
        probeInterval: probeInterval,
        limits: limits,
        earlier: earlier
      )
    )
  }

  /// A machine that has seen a network with an open way, and said so.
  static func online(
    settle: Duration = .zero,
    probeInterval: Duration = .seconds(30),
    limits: DegradedLimits? = nil
  ) -> Scenario {
    var scenario = Scenario(settle: settle, probeInterval: probeInterval, limits: limits)
    scenario.see(.working)
    scenario.answer(probeInterval > .zero ? .provedOpen : .inconclusive)
    return scenario
  }

  /// What was told so far, in short.
  var story: [String] { told.map { $0.verdict.causeName ?? "online" } }

  mutating func see(_ view: View) { handle(.looked(view)) }

  mutating func report(_ finding: Finding) { handle(.reported(finding)) }

  mutating func lack(_ outage: NetworkOutage?) { handle(.lacked(outage)) }

  /// Answers the newest probe under way.
  mutating func answer(_ finding: Finding, connect: Duration? = nil, isResent: Bool = false) {
    guard let number = probes.popLast() else {
      Issue.record("no probe is under way")
      return
    }
    handle(.probed(number, Measurement(finding, connect: connect, isResent: isResent)))
  }

  /// Lets time pass, waking the machine whenever it wants to be.
  mutating func wait(_ duration: Duration) {
    let end = steady + duration
    for _ in 0..<10_000 {
      guard let deadline = machine.nextDeadline, deadline <= end else {
        steady = end
        return handle(.timePassed)
      }
      steady = max(steady, deadline)
      handle(.timePassed)
    }
    Issue.record("the machine never sleeps")
  }

  private mutating func handle(_ event: VerdictMachine.Event) {
    let now = Moment(steady: steady, wall: .seconds(1_700_000_000) + steady)
    for action in machine.handle(event, now: now) {
      switch action {
      case .tell(let transition): told.append(transition)
      case .probe(let number, let connects):
        probes.append(number)
        started += 1
        if connects { connecting += 1 }
      }
    }
  }
}

extension IPAddress {
  /// An address from its text.
  static func of(_ text: String) -> IPAddress {
    Endpoint(host: text, port: 1).literalAddresses?.first?.address ?? IPAddress(ipv4: 0)
  }
}

extension InterfaceAddress {
  /// An address with its prefix from text such as `192.0.2.1/24`.
  static func of(_ text: String) -> InterfaceAddress {
    let parts = text.split(separator: "/").map(String.init)
    return InterfaceAddress(address: .of(parts[0]), prefixLength: Int(parts[1]) ?? -1)
  }
}

extension Interface {
  static let loopback = Interface(
    name: "lo",
    kind: .loopback,
    link: .notApplicable,
    addresses: [.of("127.0.0.1/8"), .of("::1/128")]
  )

  static func ethernet(
    _ name: String = "eth0",
    addresses: [String] = ["192.0.2.2/24", "fe80::2/64"]
  ) -> Interface {
    Interface(name: name, addresses: addresses.map { .of($0) })
  }

  /// The same, changed.
  func with(_ change: (inout Interface) -> Void) -> Interface {
    var copy = self
    change(&copy)
    return copy
  }

  /// The same without carrier.
  var cut: Interface {
    with {
      $0.isRunning = false
      $0.link = .disconnected
    }
  }

  /// The same, set down.
  var setDown: Interface { cut.with { $0.isUp = false } }

  /// The same without any address.
  var bare: Interface { with { $0.addresses = [] } }
}

extension Route {
  static func over(
    _ interface: String = "eth0",
    from source: String? = "192.0.2.2",
    to destination: String = "198.51.100.7"
  ) -> Route {
    Route(interface: interface, source: source.map { .of($0) }, destination: .of(destination))
  }
}

extension View {
  /// A view of loopback and more, with an IPv4 route or none.
  static func of(_ interfaces: Interface..., route: Route?, isResolved: Bool = true) -> View {
    View(
      interfaces: [.loopback] + interfaces,
      routes: [.ipv4: route.map { .route($0) } ?? .none],
      isResolved: isResolved
    )
  }

  static let working = View.of(.ethernet(), route: .over())
  static let cut = View.of(.ethernet().cut, route: .over())
  static let setDown = View.of(.ethernet().setDown, route: nil)
  static let withoutAddress = View.of(.ethernet().bare, route: nil)
  static let withoutRoute = View.of(.ethernet(), route: nil)
  static let empty = View.of(route: nil)
}

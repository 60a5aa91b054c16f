/// Looks at the network; used by one thread.
struct Observer: ~Copyable {
  private let usesNetlink: Bool
  private var question: KernelQuestion
  private var kinds: [String: Interface.Kind] = [:]
  private var looksUntilKindsAreOld = 0
  private(set) var degradations: [Degradation] = []

  /// - Parameter usesNetlink: Whether rtnetlink may be used, besides by `getifaddrs` itself.
  init(usesNetlink: Bool) {
    self.usesNetlink = usesNetlink
    question = KernelQuestion(usesNetlink: usesNetlink)
  }

  /// Looks once; it takes about a third of a millisecond with a handful of interfaces.
  /// - Parameters:
  ///   - targets: Where the endpoint is, or else what helps to find it.
  ///   - isResolved: Whether the targets are the endpoint's own addresses.
  ///   - kindsMayHaveChanged: Whether the kernel has told of a change since the last look.
  /// - Returns: What is there now.
  mutating func look(
    targets: [SocketAddress],
    isResolved: Bool,
    kindsMayHaveChanged: Bool
  ) -> View {
    let links = captureLinks()
    let (listed, routes) = readTogether(listInterfaces) { listed in
      chooseRoutes(targets, listed: listed ?? [])
    }
    refreshKinds(of: listed ?? [], atOnce: kindsMayHaveChanged)
    let interfaces = listed?.map { Interface($0, link: links?[$0.name], kind: kinds[$0.name]) }
    noteDegradations(listed: listed != nil, captured: links != nil)
    return View(interfaces: interfaces, routes: routes, isResolved: isResolved)
  }

  /// The kernel's choice for each family, of several targets of one the first that has a route.
  private mutating func chooseRoutes(
    _ targets: [SocketAddress],
    listed: [ListedInterface]
  ) -> [IPAddress.Family: RouteChoice] {
    var routes: [IPAddress.Family: RouteChoice] = [:]
    for target in targets {
      let family = target.address.family
      if case .route = routes[family] { continue }
      routes[family] = question.route(to: target, interfaces: listed)
    }
    return routes
  }

  /// Whether an interface has its carrier at this moment; cheap, and ahead of the kernel's notices.
  mutating func hasCarrier(_ name: String) -> Bool? { question.hasCarrier(name) }

  /// Kinds hardly ever change, and most changes are announced.
  private mutating func refreshKinds(of listed: [ListedInterface], atOnce: Bool) {
    looksUntilKindsAreOld -= 1
    let isUnknown = listed.contains { kinds[$0.name] == nil }
    guard atOnce || isUnknown || looksUntilKindsAreOld <= 0 else { return }
    looksUntilKindsAreOld = 20
    kinds = (usesNetlink ? linkKinds() : nil) ?? [:]
    for interface in listed where kinds[interface.name] == nil {
      kinds[interface.name] =
        interface.isLoopback ? .loopback : kindFromSystemFiles(interface.name)
    }
  }

  private mutating func noteDegradations(listed: Bool, captured: Bool) {
    degradations = []
    if !listed { degradations.append(Degradation(.getifaddrs)) }
    if !captured { degradations.append(Degradation(.libpcap)) }
    if !question.hasNetlink { degradations.append(Degradation(.routes)) }
  }
}

extension Interface {
  /// Joins what the sources say of one interface.
  init(_ listed: ListedInterface, link: CapturedLink?, kind: Kind?) {
    self.init(
      name: listed.name,
      kind: kind ?? (listed.isLoopback ? .loopback : .ordinary),
      isUp: listed.isUp,
      isRunning: listed.isRunning,
      link: link?.status ?? .unknown,
      isWireless: link?.isWireless ?? false,
      addresses: listed.addresses
    )
  }
}

/// Reads two things that belong together, though the kernel shows them one after the other.
///
/// It changes a link, its addresses and their routes in steps. A route read between two steps, judged
/// by links read before them, would tell of a missing route where the link was set down. So the
/// links are read before and after the routes, until nothing has changed in between.
///
/// - Parameters:
///   - outer: Reads what holds the other, links and addresses.
///   - inner: Reads what rests on it, routes.
/// - Returns: Both as they were at one moment. Where changes do not cease, the last of both: the outer
///   one is the newer, which tells a link set down as what it is.
func readTogether<Outer: Equatable, Inner>(
  _ outer: () -> Outer,
  _ inner: (Outer) -> Inner
) -> (Outer, Inner) {
  var before = outer()
  var rounds = 4
  while true {
    let held = inner(before)
    let after = outer()
    rounds -= 1
    if after == before || rounds == 0 { return (after, held) }
    before = after
  }
}

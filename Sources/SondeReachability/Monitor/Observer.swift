internal import SondePcap

/// Observes the network; used by one thread.
struct Observer: ~Copyable {
  private let usesNetlink: Bool
  private var question: KernelQuestion
  private var capture = LinkCapture()
  private var kinds: [String: Interface.Kind] = [:]
  private var looksUntilKindsAreOld = 0
  /// The interfaces on the path.
  private var pathNames: [String] = []
  private(set) var degradations: [Degradation] = []

  /// - Parameter usesNetlink: Whether rtnetlink may be used directly (`getifaddrs` always uses it).
  init(usesNetlink: Bool) {
    self.usesNetlink = usesNetlink
    question = KernelQuestion(usesNetlink: usesNetlink)
  }

  /// Observes the network once, in about a third of a millisecond for a few interfaces.
  ///
  /// The targets are the endpoint's addresses, or their stand-ins while its name is unresolved.
  /// Kinds may have changed if the kernel has announced a change since the last look.
  mutating func look(
    targets: [SocketAddress],
    isResolved: Bool,
    kindsMayHaveChanged: Bool
  ) -> View {
    let (links, isCurrent) = capture.read()
    let (listed, routes) = readTogether(&self) { _ in
      listInterfaces()
    } inner: { observer, listed in
      observer.chooseRoutes(targets, listed: listed ?? [])
    }
    refreshKinds(of: listed ?? [], atOnce: kindsMayHaveChanged)
    let interfaces = listed?.map { listed in
      var interface = Interface(listed, link: links?[listed.name], kind: kinds[listed.name])
      if !isCurrent { interface.take(carrier: listed.hasCarrier) }
      return interface
    }
    noteDegradations(listed: listed != nil, captured: links != nil)
    return View(interfaces: interfaces, routes: routes, isResolved: isResolved)
  }

  /// The kernel's choice per family; of several targets, the first with a route.
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

  /// Observes only the routes and their interfaces, which determine the verdict.
  ///
  /// This takes no longer if there are hundreds of interfaces. It compares with the last look, and
  /// the interface judged then; `nil` if a full look is required.
  mutating func lookAtPath(_ former: View, judged: String, targets: [SocketAddress]) -> View? {
    guard question.hasNetlink, former.interfaces != nil else { return nil }
    pathNames = [judged]
    let (links, routes) = readTogether(&self) { observer in
      observer.readPath()
    } inner: { observer, links in
      let routes = observer.chooseRoutes(targets, listed: links.map(\.listed))
      observer.addToPath(routes)
      return routes
    }
    guard links.count == pathNames.count else { return nil }
    return former.updated(links, routes: routes)
  }

  private mutating func readPath() -> [AnsweredLink] {
    var links: [AnsweredLink] = []
    for name in pathNames {
      if let link = question.link(name) { links.append(link) }
    }
    return links
  }

  private mutating func addToPath(_ routes: [IPAddress.Family: RouteChoice]) {
    for case .route(let route) in routes.values where !pathNames.contains(route.interface) {
      pathNames.append(route.interface)
    }
  }

  /// Refreshes the kinds of interfaces, which rarely change, and usually with a notification.
  private mutating func refreshKinds(of listed: [ListedInterface], atOnce: Bool) {
    looksUntilKindsAreOld -= 1
    let isUnknown = listed.contains { kinds[$0.name] == nil }
    guard atOnce || isUnknown || looksUntilKindsAreOld <= 0 else { return }
    looksUntilKindsAreOld = 20
    kinds = (usesNetlink ? linkKinds() : nil) ?? [:]
    for interface in listed where kinds[interface.name] == nil {
      kinds[interface.name] = interface.isLoopback ? .loopback : kindFromSystemFiles(interface.name)
    }
  }

  private mutating func noteDegradations(listed: Bool, captured: Bool) {
    degradations = []
    if !listed { degradations.append(Degradation(.getifaddrs)) }
    if !captured {
      degradations.append(libpcapError.map { Degradation(missing: $0) } ?? Degradation(.libpcap))
    }
    if !question.hasNetlink { degradations.append(Degradation(.routes)) }
  }
}

extension Interface {
  /// Combines what the sources report about an interface.
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

/// Reads two values that depend on each other so that they are consistent.
///
/// The kernel changes a link, its addresses and their routes in steps. A route that is read between
/// two steps would be reported missing, although the link was set down. So the links and addresses
/// (`outer`) are read before and after the routes (`inner`), until they no longer change.
///
/// If changes do not stop, the last values are returned: the outer one is newer, so that a link
/// that was set down is reported as the cause.
func readTogether<Reader: ~Copyable, Outer: Equatable, Inner>(
  _ reader: inout Reader,
  outer: (inout Reader) -> Outer,
  inner: (inout Reader, Outer) -> Inner
) -> (Outer, Inner) {
  var before = outer(&reader)
  var rounds = 4
  while true {
    let held = inner(&reader, before)
    let after = outer(&reader)
    rounds -= 1
    if after == before || rounds == 0 { return (after, held) }
    before = after
  }
}

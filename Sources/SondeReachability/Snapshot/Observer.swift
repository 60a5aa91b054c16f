import SondePcap

internal import SondePcap

/// Looks at the network; used by one thread.
struct Observer: ~Copyable {
  private let usesNetlink: Bool
  private var question: KernelQuestion
  private var capture = LinkCapture()
  private var kinds: [String: Interface.Kind] = [:]
  private var looksUntilKindsAreOld = 0
  /// The interfaces that the path is judged on.
  private var pathNames: [String] = []
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
  /// - Returns: The network now.
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

  /// The kernel's choice for each family; of several targets, the first that has a route.
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

  /// Looks only at the routes and the interfaces that they name, on which the verdict depends; that
  /// takes no longer where there are hundreds of interfaces.
  /// - Parameters:
  ///   - former: The network at the last look.
  ///   - judged: The interface that counted then.
  ///   - targets: Where the endpoint is, or else what helps to find it.
  /// - Returns: The network now; `nil` where only a whole look can tell.
  mutating func lookAtPath(
    _ former: View,
    judged: String,
    targets: [SocketAddress]
  ) -> View? {
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
    if !captured {
      degradations.append(libpcapError.map { Degradation(missing: $0) } ?? Degradation(.libpcap))
    }
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
///   - reader: What reads.
///   - outer: Reads links and addresses, on which routes depend.
///   - inner: Reads the routes.
/// - Returns: Both as they were at one moment. Where changes do not stop, the last of both: the outer
///   one is newer, so that a link that is set down is named as the cause.
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

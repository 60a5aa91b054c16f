/// The highest layer up to which the path to the endpoint works, as seen from this machine.
struct PathJudgement: Hashable, Sendable {
  /// The lowest broken layer, `noRoute` at most; `nil` if none is.
  var cause: OfflineCause?
  var interface: String?
  var route: Route?

  /// Whether packets take the same path; the endpoint's address does not matter.
  func isSamePath(as other: PathJudgement) -> Bool {
    cause == other.cause && interface == other.interface && route?.source == other.route?.source
      && route?.gateway == other.route?.gateway
  }
}

/// Judges a view, and remembers the last interface of each family's route.
struct PathJudge: Sendable {
  private var named: [IPAddress.Family: String] = [:]

  /// Judges each family separately and keeps the better result, since one open path suffices.
  ///
  /// A family that never had a path does not indicate a loss as long as the other one had a path.
  mutating func judge(_ view: View) -> PathJudgement {
    for (family, choice) in view.routes {
      if case .route(let route) = choice { named[family] = route.interface }
    }
    let asked = IPAddress.Family.allCases.filter { view.routes[$0] != nil }
    let hadWay = asked.filter { named[$0] != nil }
    let judgements = (hadWay.isEmpty ? asked : hadWay).map { judge($0, view) }
    guard let first = judgements.first else { return judgeWithoutRoute(.ipv4, view) }
    return judgements.reduce(first) { $1.isBetter(than: $0) ? $1 : $0 }
  }

  private func judge(_ family: IPAddress.Family, _ view: View) -> PathJudgement {
    switch view.routes[family] {
    case .route(let route): view.judge(route)
    case .some(.none), nil: judgeWithoutRoute(family, view)
    case .unknown:
      // An interface that has everything it needs is no evidence against the path.
      judgeWithoutRoute(family, view).pardoningRoute()
    }
  }

  private func judgeWithoutRoute(_ family: IPAddress.Family, _ view: View) -> PathJudgement {
    guard let interfaces = view.interfaces else { return PathJudgement(cause: .noRoute) }
    let last = named[family] ?? IPAddress.Family.allCases.lazy.compactMap { named[$0] }.first
    let remembered = last.flatMap { view.interface($0) }
    let candidates = remembered.map { [$0] } ?? interfaces.filter { !$0.kind.isVirtual }
    return candidates.map { PathJudgement(cause: $0.lowestBreak(family), interface: $0.name) }
      .reduce(PathJudgement(cause: .noInterface)) { $1.isBetter(than: $0) ? $1 : $0 }
  }
}

extension PathJudgement {
  /// Whether more layers work.
  fileprivate func isBetter(than other: PathJudgement) -> Bool {
    switch (cause, other.cause) {
    case (nil, .some): true
    case (_, nil): false
    case (.some(let cause), .some(let other)): cause > other
    }
  }

  fileprivate func pardoningRoute() -> PathJudgement {
    cause == .noRoute ? PathJudgement(cause: nil, interface: interface) : self
  }
}

extension Interface {
  /// The lowest broken layer of an interface without a route.
  fileprivate func lowestBreak(_ family: IPAddress.Family) -> OfflineCause {
    if !hasLink { return .linkDown }
    return hasAddress(family) ? .noRoute : .noAddress
  }
}

extension View {
  fileprivate func judge(_ route: Route) -> PathJudgement {
    var judgement = PathJudgement(cause: nil, interface: route.interface, route: route)
    // An interface missing from the list has just appeared, or there is no list.
    if let interface = interface(route.interface), !interface.hasLink {
      judgement.cause = .linkDown
    } else if !hasSource(route) {
      judgement.cause = .noAddress
    }
    return judgement
  }

  /// Whether packets would have a source address that can receive answers.
  private func hasSource(_ route: Route) -> Bool {
    guard let source = route.source else { return false }
    if source.isLinkLocal && !route.destination.isLinkLocal { return false }
    // The route may outlive its address for a moment. Loopback sources need not be listed: all
    // of 127.0.0.0/8 belongs to the machine.
    guard let interfaces, !source.isLoopback else { return true }
    return interfaces.contains { $0.addresses.contains { $0.address == source } }
  }
}

/// Up to which layer the path to the endpoint works, as far as this machine can see.
struct PathJudgement: Hashable, Sendable {
  /// The lowest broken layer, `noRoute` at most; `nil` if all is fine.
  var cause: OfflineCause?

  /// The interface judged.
  var interface: String?

  /// The kernel's choice, if it has one.
  var route: Route?

  /// Whether packets take the same path; which of the endpoint's addresses it leads to does not matter.
  func isSamePath(as other: PathJudgement) -> Bool {
    cause == other.cause && interface == other.interface && route?.source == other.route?.source
      && route?.gateway == other.route?.gateway
  }
}

/// Remembers which interface each family's route named last, and judges a view by it.
struct PathJudge: Sendable {
  private var named: [IPAddress.Family: String] = [:]

  /// Judges each family separately and keeps the better one: one open path is enough.
  ///
  /// A family that never had a path says nothing about a loss as long as the other had one.
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
      // Nothing speaks against the path once an interface has all that it needs.
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
  /// What is missing on an interface that no route leads over.
  fileprivate func lowestBreak(_ family: IPAddress.Family) -> OfflineCause {
    if !hasLink { return .linkDown }
    return hasAddress(family) ? .noRoute : .noAddress
  }
}

extension View {
  fileprivate func judge(_ route: Route) -> PathJudgement {
    var judgement = PathJudgement(cause: nil, interface: route.interface, route: route)
    // An interface missing from the list has appeared since, or there is no list.
    if let interface = interface(route.interface), !interface.hasLink {
      judgement.cause = .linkDown
    } else if !hasSource(route) {
      judgement.cause = .noAddress
    }
    return judgement
  }

  /// Whether packets would have a source address that answers can be sent to.
  private func hasSource(_ route: Route) -> Bool {
    guard let source = route.source else { return false }
    if source.isLinkLocal && !route.destination.isLinkLocal { return false }
    // The route may outlive its address for a moment. Loopback sources need not be listed:
    // all of 127.0.0.0/8 is the machine's own.
    guard let interfaces, !source.isLoopback else { return true }
    return interfaces.contains { $0.addresses.contains { $0.address == source } }
  }
}

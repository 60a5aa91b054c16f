extension Facts {
  /// The assessment of one layer, with its reason.
  func layer(_ name: NetworkStatus.Layer.Name) -> NetworkStatus.Layer {
    NetworkStatus.Layer(name: name, condition: condition(of: name), words: words(for: name))
  }

  private var judged: Interface? { judgement.interface.flatMap { view?.interface($0) } }

  // MARK: Conditions

  private func condition(of name: NetworkStatus.Layer.Name) -> NetworkStatus.Layer.Condition {
    guard view != nil else { return .unknown }
    return switch name {
    case .interfaces: localCondition(brokenBy: .noInterface)
    case .link: localCondition(brokenBy: .linkDown)
    case .address: localCondition(brokenBy: .noAddress)
    case .route: localCondition(brokenBy: .noRoute)
    case .endpoint: endpointCondition
    case .verdict: told.map { $0.verdict.isOnline ? .ok : .broken } ?? .unknown
    }
  }

  /// Layers above a broken one are not assessed.
  private func localCondition(brokenBy cause: OfflineCause) -> NetworkStatus.Layer.Condition {
    if cause == .noInterface, view?.interfaces == nil { return .unknown }
    guard let broken = judgement.cause else { return .ok }
    return broken == cause ? .broken : broken < cause ? .unknown : .ok
  }

  private var endpointCondition: NetworkStatus.Layer.Condition {
    switch evidence {
    case .none, .assumed: .unknown
    case .open: .ok
    case .closed: judgement.cause == nil ? .broken : .unknown
    }
  }

  // MARK: Words

  private func words(for name: NetworkStatus.Layer.Name) -> String {
    switch name {
    case .interfaces: interfaceWords
    case .link: judged.map(\.linkWords) ?? "no interface to judge"
    case .address: judged.map { addressWords($0) } ?? "no interface to judge"
    case .route: routeWords
    case .endpoint: endpointWords
    case .verdict: verdictWords
    }
  }

  private var interfaceWords: String {
    guard let interfaces = view?.interfaces else { return "the kernel does not list them" }
    let counted = interfaces.filter { !$0.kind.isVirtual }.map(\.name)
    let others = interfaces.filter(\.kind.isVirtual).map { interface in
      let kind = interface.kind.rawValue
      return kind == "loopback" ? interface.name : "\(interface.name) (\(kind))"
    }
    let outward = counted.isEmpty ? "none that leads out" : counted.joined(separator: ", ")
    return others.isEmpty ? outward : "\(outward); not counted: \(others.joined(separator: ", "))"
  }

  private func addressWords(_ interface: Interface) -> String {
    let useful = interface.addresses.filter { !$0.address.isLinkLocal }
    guard useful.isEmpty else {
      let list = useful.map(\.description).joined(separator: ", ")
      return judgement.cause == .noAddress
        ? "\(interface.name) has no address of the endpoint's family, only \(list)"
        : "\(interface.name) has \(list)"
    }
    return interface.addresses.isEmpty
      ? "\(interface.name) has none" : "\(interface.name) has link-local addresses only"
  }

  private var routeWords: String {
    let target = view?.isResolved == true ? endpoint : "the name servers and the Internet"
    guard let route = judgement.route else {
      return judgement.cause == nil
        ? "the kernel cannot be asked" : "the kernel knows no route to \(target)"
    }
    let gateway = route.gateway.map { " by the router \($0)" } ?? ""
    let source = route.source.map { ", from \($0)" } ?? ""
    return "the path to \(target) leads over \(route.interface)\(gateway)\(source)"
  }

  private var endpointWords: String {
    switch evidence {
    case .none: "\(endpoint) has not been tried yet"
    case .assumed: "nothing speaks against \(endpoint), but it has not been tried since the change"
    case .open: Finding.answered.words(of: endpoint)
    case .closed(let finding): finding.words(of: endpoint)
    }
  }

  private var verdictWords: String {
    guard let told else { return "still looking" }
    guard let reason = told.reason else { return told.verdict.state }
    let place = told.outage.map { "\($0.place): " } ?? ""
    return "offline: \(place)\(reason)" + (told.interface.map { " (\($0))" } ?? "")
  }
}

extension Interface {
  fileprivate var linkWords: String {
    if !isUp { return "\(name) is set down" }
    if link == .disconnected || !isRunning {
      let reason = isWireless ? "is not associated" : "has no carrier: the cable or the far end"
      return "\(name) \(reason)"
    }
    return switch link {
    case .connected: "\(name) is up and connected"
    case .notApplicable: "\(name) is up, and has no link to lose"
    case .unknown, .disconnected: "\(name) is up and running"
    }
  }
}

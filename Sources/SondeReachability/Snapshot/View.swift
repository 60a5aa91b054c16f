/// What one look at the network finds: all that the verdict's lower layers rest on.
struct View: Equatable, Sendable {
  /// The interfaces; `nil` when the kernel would not list them.
  var interfaces: [Interface]?

  /// The kernel's choice for each family that the endpoint has an address in.
  var routes: [IPAddress.Family: RouteChoice]

  /// Whether the endpoint's addresses are known; if not, the routes are those to the name servers.
  var isResolved: Bool

  /// The interface of that name.
  func interface(_ name: String) -> Interface? { interfaces?.first { $0.name == name } }

  /// The same with some interfaces and all routes as they are now.
  /// - Returns: `nil` if one of the interfaces was not there before.
  func updated(_ links: [AnsweredLink], routes: [IPAddress.Family: RouteChoice]) -> View? {
    guard var interfaces else { return nil }
    for link in links {
      guard let place = interfaces.firstIndex(where: { $0.name == link.listed.name }) else {
        return nil
      }
      interfaces[place].update(link)
    }
    return View(interfaces: interfaces, routes: routes, isResolved: isResolved)
  }
}

extension Interface {
  /// Takes what rtnetlink says.
  fileprivate mutating func update(_ link: AnsweredLink) {
    isUp = link.listed.isUp
    isRunning = link.listed.isRunning
    addresses = link.listed.addresses
    take(carrier: link.hasCarrier)
  }

  /// Takes the carrier for what libpcap would say of the link now.
  /// - Parameter carrier: Whether it is there; `nil` where the driver does not know.
  mutating func take(carrier: Bool?) {
    switch (link, isUp ? carrier : false) {
    case (.notApplicable, _), (_, nil): break
    case (_, false): link = .disconnected
    case (.disconnected, true): link = .connected
    case (_, true): break
    }
  }
}

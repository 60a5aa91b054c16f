/// The result of one look at the network, from which the lower layers are judged.
struct View: Equatable, Sendable {
  /// The interfaces; `nil` if the kernel did not list them.
  var interfaces: [Interface]?

  /// The kernel's choice for each address family of the endpoint.
  var routes: [IPAddress.Family: RouteChoice]

  /// Whether the endpoint's addresses are known; if not, the routes are those to stand-ins.
  var isResolved: Bool

  func interface(_ name: String) -> Interface? { interfaces?.first { $0.name == name } }

  /// A copy with some interfaces and all routes updated; `nil` if one of the interfaces is new.
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
  fileprivate mutating func update(_ link: AnsweredLink) {
    (isUp, isRunning) = (link.listed.isUp, link.listed.isRunning)
    addresses = link.listed.addresses
    take(carrier: link.hasCarrier)
  }

  /// Updates the link's state from the carrier instead of libpcap; `nil` if it is unknown.
  mutating func take(carrier: Bool?) {
    switch (link, isUp ? carrier : false) {
    case (.notApplicable, _), (_, nil): break
    case (_, false): link = .disconnected
    case (.disconnected, true): link = .connected
    case (_, true): break
    }
  }
}

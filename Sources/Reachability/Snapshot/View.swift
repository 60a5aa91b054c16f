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
}

/// The path that the kernel would choose for packets to an address.
public struct Route: Hashable, Sendable {
  /// The outgoing interface; "lo" for this machine's own addresses.
  public var interface: String

  /// The source address; `nil` if the interface has none.
  public var source: IPAddress?

  /// The destination address.
  public var destination: IPAddress

  /// The next router; `nil` if the destination is on the link itself.
  public var gateway: IPAddress?

  /// Creates a route, for example for a test.
  public init(
    interface: String,
    source: IPAddress?,
    destination: IPAddress,
    gateway: IPAddress? = nil
  ) {
    (self.interface, self.source, self.destination) = (interface, source, destination)
    self.gateway = gateway
  }
}

/// The kernel's answer to a request for a route.
enum RouteChoice: Equatable, Sendable {
  case route(Route)
  /// There is no route.
  case none
  /// The kernel could not be asked.
  case unknown
}

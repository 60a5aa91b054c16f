/// The path on which the kernel would send a packet to an address.
public struct Route: Hashable, Sendable {
  /// The interface that sends it; "lo" for this machine's own addresses.
  public var interface: String

  /// The address it is sent from; `nil` if the interface has none to offer.
  public var source: IPAddress?

  /// The address it goes to.
  public var destination: IPAddress

  /// The router it is handed to; `nil` for the network at the other end of the link.
  public var gateway: IPAddress?

  /// Makes a route, for instance for a test.
  public init(
    interface: String,
    source: IPAddress?,
    destination: IPAddress,
    gateway: IPAddress? = nil
  ) {
    self.interface = interface
    self.source = source
    self.destination = destination
    self.gateway = gateway
  }
}

/// What the kernel answers when asked for the path to an address.
enum RouteChoice: Equatable, Sendable {
  case route(Route)
  /// There is no path.
  case none
  /// The kernel could not be asked.
  case unknown
}

internal import CNetlink
internal import Glibc

/// Asks the kernel for its route choice; no packet is sent.
struct RouteQuestion: ~Copyable {
  private var netlink: NetlinkSocket?
  private var sequence: UInt32 = 0

  /// - Parameter usesNetlink: Whether rtnetlink, which names the interface, may be used; else only a
  ///   connected socket is, which names no more than the local address.
  init(usesNetlink: Bool) { netlink = usesNetlink ? NetlinkSocket() : nil }

  /// Whether rtnetlink is there to be asked.
  var hasNetlink: Bool { netlink != nil }

  /// The kernel's choice for a destination.
  mutating func ask(_ destination: SocketAddress, interfaces: [Interface]) -> RouteChoice {
    switch askNetlink(destination) {
    case .unknown: askSocket(destination, interfaces: interfaces)
    case .none: .none
    case .route(let route): .route(route)
    }
  }

  private mutating func askNetlink(_ destination: SocketAddress) -> RouteChoice {
    guard netlink != nil else { return .unknown }
    sequence &+= 1
    let request = NetlinkRequest(routeTo: destination, sequence: sequence)
    guard netlink?.send(request) == true else { return .unknown }
    while let messages = netlink?.receive() {
      guard let answer = messages.first(where: { $0.sequence == sequence }) else { continue }
      return RouteChoice(answer, destination: destination.address) { index in
        interfaceName(index)
      }
    }
    return .unknown
  }
}

extension NetlinkRequest {
  /// `RTM_GETROUTE` for one destination, as `ip route get` asks it.
  init(routeTo destination: SocketAddress, sequence: UInt32) {
    let bytes = destination.address.bytes
    // rtmsg: family, length of the destination in bits, then ten bytes that stay zero.
    let family = UInt8(destination.address.family == .ipv4 ? AF_INET : AF_INET6)
    let fixed = [family, UInt8(bytes.count * 8)] + [UInt8](repeating: 0, count: 10)
    self.init(type: Int(RTM_GETROUTE), flags: 0, sequence: sequence, fixedPart: fixed)
    add(Int(RTA_DST.rawValue), bytes)
    if destination.scope != 0 { add(Int(RTA_OIF.rawValue), destination.scope.nativeBytes) }
  }
}

extension RouteChoice {
  /// Reads the kernel's answer to `RTM_GETROUTE`.
  /// - Parameter name: Turns an interface's index into its name.
  init(_ message: NetlinkMessage, destination: IPAddress, name: (UInt32) -> String?) {
    if let error = message.error {
      // Every other error may be about the asking, and is left for the socket to confirm.
      self = error == ENETUNREACH || error == EHOSTUNREACH ? .none : .unknown
      return
    }
    let attributes = message.attributes(after: 12)
    guard message.type == Int(RTM_NEWROUTE),
      let index = attributes[Int(RTA_OIF.rawValue)]?.value(at: 0, as: UInt32.self),
      let interface = name(index)
    else {
      self = .unknown
      return
    }
    self = .route(
      Route(
        interface: interface,
        source: attributes[Int(RTA_PREFSRC.rawValue)].flatMap { IPAddress(bytes: $0) },
        destination: destination,
        gateway: attributes[Int(RTA_GATEWAY.rawValue)].flatMap { IPAddress(bytes: $0) }
      )
    )
  }
}

/// The name of an interface by its index; `nil` once it is gone.
private func interfaceName(_ index: UInt32) -> String? {
  var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
  guard unsafe if_indextoname(index, &name) != nil else { return nil }
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Connects a datagram socket, which sends nothing, and reads the local address that the route gave it.
private func askSocket(_ destination: SocketAddress, interfaces: [Interface]) -> RouteChoice {
  let descriptor = destination.makeSocket(SOCK_DGRAM)
  guard descriptor >= 0 else { return errno == EAFNOSUPPORT ? .none : .unknown }
  defer { close(descriptor) }
  switch destination.connect(descriptor) {
  case 0: break
  case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EACCES, EINVAL, ENETDOWN: return .none
  case _: return .unknown
  }
  guard let source = SocketAddress.local(of: descriptor) else { return .unknown }
  return RouteChoice(from: source, to: destination.address, interfaces: interfaces)
}

extension RouteChoice {
  /// Finds the interface that a local address belongs to.
  ///
  /// What goes to one's own address never leaves the machine, whichever interface has the address.
  init(from source: IPAddress, to destination: IPAddress, interfaces: [Interface]) {
    let owners = interfaces.filter { $0.addresses.contains { $0.address == source } }
    let loopback = interfaces.first { $0.kind == .loopback }
    let isLocal = source == destination || source.isLoopback
    guard let owner = isLocal ? loopback : owners.first(where: \.hasLink) ?? owners.first else {
      self = .unknown
      return
    }
    self = .route(Route(interface: owner.name, source: source, destination: destination))
  }
}

internal import CSondeNetlink
internal import Glibc

/// Sends single requests to the kernel; no packet leaves the machine.
struct KernelQuestion: ~Copyable {
  private var netlink: NetlinkSocket?
  private var sequence: UInt32 = 0

  /// Uses rtnetlink, which names a route's interface, or a socket, which has its local address.
  init(usesNetlink: Bool) { netlink = usesNetlink ? NetlinkSocket() : nil }

  var hasNetlink: Bool { netlink != nil }

  /// The kernel's route choice for a destination.
  mutating func route(to destination: SocketAddress, interfaces: [ListedInterface]) -> RouteChoice {
    let answer = ask { NetlinkRequest(routeTo: destination, sequence: $0) }
    let choice = answer.map {
      RouteChoice($0, destination: destination.address) { interfaceName($0) }
    }
    return switch choice {
    case .some(.unknown), nil: askSocket(destination, interfaces: interfaces)
    case .some(.none): .none
    case .some(.route(let route)): .route(route)
    }
  }

  /// The current state of an interface; `nil` if it has disappeared or the kernel gives no answer.
  mutating func link(_ name: String) -> AnsweredLink? {
    let answer = ask { NetlinkRequest(linkNamed: name, sequence: $0) }
    guard let answer, var link = AnsweredLink(answer) else { return nil }
    sequence &+= 1
    let request = NetlinkRequest(addressesOf: link.index, sequence: sequence)
    guard let list = netlink?.list(request, sequence: sequence) else { return nil }
    link.listed.addresses = list.compactMap { InterfaceAddress($0, ofLink: link.index) }
    return link
  }

  private mutating func ask(_ request: (UInt32) -> NetlinkRequest) -> NetlinkMessage? {
    sequence &+= 1
    guard netlink?.send(request(sequence)) == true else { return nil }
    while let messages = netlink?.receive() {
      if let answer = messages.first(where: { $0.sequence == sequence }) { return answer }
    }
    return nil
  }
}

extension RouteChoice {
  /// Parses the kernel's answer to `RTM_GETROUTE`; `name` maps an interface's index to its name.
  init(_ message: NetlinkMessage, destination: IPAddress, name: (UInt32) -> String?) {
    if let error = message.error {
      // Other errors may be due to the request; a socket is asked to confirm them.
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

/// The name of an interface by its index; `nil` if it has disappeared.
private func interfaceName(_ index: UInt32) -> String? {
  var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
  guard unsafe if_indextoname(index, &name) != nil else { return nil }
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Connects a datagram socket, which sends nothing, and reads its local address.
private func askSocket(_ destination: SocketAddress, interfaces: [ListedInterface]) -> RouteChoice {
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
  /// Finds the interface with a local address.
  ///
  /// Packets to the machine's own addresses never leave it, whichever interface has the address.
  init(from source: IPAddress, to destination: IPAddress, interfaces: [ListedInterface]) {
    let owners = interfaces.filter { $0.addresses.contains { $0.address == source } }
    let loopback = interfaces.first(where: \.isLoopback)
    let isLocal = source == destination || source.isLoopback
    guard let owner = isLocal ? loopback : owners.first(where: \.isRunning) ?? owners.first else {
      self = .unknown
      return
    }
    self = .route(Route(interface: owner.name, source: source, destination: destination))
  }
}

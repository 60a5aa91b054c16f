/// A network interface as the kernel and libpcap describe it.
public struct Interface: Hashable, Sendable {
  /// The name, such as `eth0`.
  public var name: String

  /// The kind of interface.
  public var kind: Kind

  /// Whether the interface is up (`IFF_UP`, netdevice(7)).
  public var isUp: Bool

  /// Whether the kernel considers it able to carry packets (`IFF_RUNNING`).
  public var isRunning: Bool

  /// The state of its link by libpcap.
  public var link: LinkStatus

  /// Whether it is wireless.
  public var isWireless: Bool

  /// Its addresses, link-local ones included, in the kernel's order.
  public var addresses: [InterfaceAddress]

  /// Creates an interface, for example for a test.
  public init(
    name: String,
    kind: Kind = .ordinary,
    isUp: Bool = true,
    isRunning: Bool = true,
    link: LinkStatus = .connected,
    isWireless: Bool = false,
    addresses: [InterfaceAddress] = []
  ) {
    (self.name, self.kind, self.isUp, self.isRunning) = (name, kind, isUp, isRunning)
    (self.link, self.isWireless, self.addresses) = (link, isWireless, addresses)
  }

  /// Whether it is up, and neither libpcap nor the kernel reports a lost carrier.
  public var hasLink: Bool { isUp && isRunning && link != .disconnected }

  /// Whether it has an address of the family that is valid beyond its own link.
  public func hasAddress(_ family: IPAddress.Family) -> Bool {
    addresses.contains { $0.address.family == family && !$0.address.isLinkLocal }
  }
}

/// The state of a link: libpcap's `PCAP_IF_CONNECTION_STATUS` (pcap_findalldevs(3PCAP)).
public enum LinkStatus: String, Sendable, CaseIterable {
  case connected
  case disconnected
  case unknown
  case notApplicable = "not_applicable"
}

/// An address of an interface with its prefix length.
public struct InterfaceAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address.
  public var address: IPAddress

  /// The length of the network's prefix in bits.
  public var prefixLength: Int

  /// The form `192.0.2.1/24`.
  public var description: String { "\(address)/\(prefixLength)" }
}

extension Interface {
  /// The kind of an interface, as far as it matters for paths out of this machine.
  public enum Kind: String, Sendable, CaseIterable {
    /// Any that may lead out of this machine: Ethernet, radio, PPP, a container's veth end.
    case ordinary
    case loopback
    case bridge
    case bridgePort = "bridge port"
    /// tun, tap, and other tunnels on top of another interface.
    case tunnel
    case wireGuard = "WireGuard"
    case dummy

    /// Whether the interface is irrelevant to paths out of this machine.
    public var isVirtual: Bool { self != .ordinary }

    /// The kind for rtnetlink's names (`IFLA_INFO_KIND`, `IFLA_INFO_SLAVE_KIND`).
    ///
    /// A veth end is virtual only if it is a port of a bridge; otherwise it leads out of a
    /// container. Bonds and VLANs count as the hardware below them.
    init(driver: String, port: String) {
      self =
        switch (driver, port) {
        case (_, "bridge"), (_, "openvswitch"): .bridgePort
        case ("bridge", _), ("openvswitch", _): .bridge
        case ("wireguard", _): .wireGuard
        case ("dummy", _), ("ifb", _), ("nlmon", _), ("vrf", _), ("vcan", _): .dummy
        case _ where Self.tunnelDrivers.contains(driver): .tunnel
        case (_, _): .ordinary
        }
    }

    /// The tunnel drivers of Linux; most create a fallback device in every network namespace.
    private static let tunnelDrivers: Set<String> = [
      "tun", "ipip", "sit", "gre", "gretap", "ip6tnl", "ip6gre", "ip6gretap", "erspan",
      "ip6erspan", "vti", "vti6", "xfrm", "vxlan", "geneve",
    ]
  }
}

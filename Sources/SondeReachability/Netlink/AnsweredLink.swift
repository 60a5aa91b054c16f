internal import CSondeNetlink

/// The state of an interface as answered by rtnetlink.
///
/// The carrier comes from the driver. The notification of a lost carrier, and `IFF_RUNNING`, may
/// come up to a second later, because the kernel limits them for flapping links
/// (net/core/link_watch.c).
struct AnsweredLink: Equatable {
  var index: UInt32
  var listed: ListedInterface
  /// `nil` if the driver does not know.
  var hasCarrier: Bool?

  /// Parses `RTM_NEWLINK`, which contains no addresses.
  init?(_ message: NetlinkMessage) {
    let attributes = message.attributes(after: 16)
    guard message.type == Int(RTM_NEWLINK), let name = attributes[Int(IFLA_IFNAME)]?.text,
      let index = message.payload.value(at: 4, as: UInt32.self),
      let flags = message.payload.value(at: 8, as: UInt32.self)
    else { return nil }
    self.index = index
    listed = ListedInterface(name: name, flags: flags)
    hasCarrier = attributes[Int(IFLA_CARRIER)]?.first.map { $0 != 0 }
  }
}

extension InterfaceAddress {
  /// Parses `RTM_NEWADDR` as getifaddrs(3) does; `nil` if it belongs to another interface.
  init?(_ message: NetlinkMessage, ofLink index: UInt32) {
    let attributes = message.attributes(after: 8)
    // On a point-to-point link, IFA_ADDRESS is the remote address.
    let bytes = attributes[Int(IFA_LOCAL)] ?? attributes[Int(IFA_ADDRESS)]
    guard message.type == Int(RTM_NEWADDR), let bytes, let address = IPAddress(bytes: bytes),
      message.payload.value(at: 4, as: UInt32.self) == index,
      let prefixLength = message.payload.value(at: 1, as: UInt8.self)
    else { return nil }
    self.init(address: address, prefixLength: Int(prefixLength))
  }
}

internal import CSondeNetlink

/// One interface as rtnetlink answers for it.
///
/// The carrier is the driver's own word. The notice of a lost one, and `IFF_RUNNING`, may come up to
/// a second later: the kernel spares its listeners flapping links (net/core/link_watch.c).
struct AnsweredLink: Equatable {
  var index: UInt32
  var listed: ListedInterface
  /// `nil` where the driver does not know.
  var hasCarrier: Bool?

  /// Reads `RTM_NEWLINK`, which tells no addresses.
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
  /// Reads `RTM_NEWADDR` as getifaddrs(3) does.
  /// - Returns: `nil` for another interface's.
  init?(_ message: NetlinkMessage, ofLink index: UInt32) {
    let attributes = message.attributes(after: 8)
    // Between two ends, IFA_ADDRESS is the other one.
    let bytes = attributes[Int(IFA_LOCAL)] ?? attributes[Int(IFA_ADDRESS)]
    guard message.type == Int(RTM_NEWADDR), let bytes, let address = IPAddress(bytes: bytes),
      message.payload.value(at: 4, as: UInt32.self) == index,
      let prefixLength = message.payload.value(at: 1, as: UInt8.self)
    else { return nil }
    self.init(address: address, prefixLength: Int(prefixLength))
  }
}

internal import CSondeNetlink
internal import Glibc

extension NetlinkRequest {
  /// Creates an `RTM_GETROUTE` for one destination, like `ip route get`.
  init(routeTo destination: SocketAddress, sequence: UInt32) {
    let bytes = destination.address.bytes
    // rtmsg: family, length of the destination in bits, then ten zero bytes.
    let family = UInt8(destination.address.family == .ipv4 ? AF_INET : AF_INET6)
    let fixed = [family, UInt8(bytes.count * 8)] + [UInt8](repeating: 0, count: 10)
    self.init(type: Int(RTM_GETROUTE), flags: 0, sequence: sequence, fixedPart: fixed)
    add(Int(RTA_DST.rawValue), bytes)
    if destination.scope != 0 { add(Int(RTA_OIF.rawValue), destination.scope.nativeBytes) }
  }

  /// Creates an `RTM_GETLINK` for one interface, without its counters.
  init(linkNamed name: String, sequence: UInt32) {
    // ifinfomsg, all zero: the attribute names the interface.
    let fixed = [UInt8](repeating: 0, count: 16)
    self.init(type: Int(RTM_GETLINK), flags: 0, sequence: sequence, fixedPart: fixed)
    add(Int(IFLA_IFNAME), Array(name.utf8) + [0])
    add(Int(IFLA_EXT_MASK), UInt32(RTEXT_FILTER_SKIP_STATS).nativeBytes)
  }

  /// Creates an `RTM_GETADDR`; some kernels ignore the index and return all addresses.
  init(addressesOf index: UInt32, sequence: UInt32) {
    // ifaddrmsg: family, prefix, flags and scope (unused here), then the interface's index.
    let fixed = [UInt8](repeating: 0, count: 4) + index.nativeBytes
    self.init(type: Int(RTM_GETADDR), flags: NLM_F_DUMP, sequence: sequence, fixedPart: fixed)
  }
}

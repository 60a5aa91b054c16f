internal import Glibc

/// An interface as listed by `getifaddrs`.
struct ListedInterface: Equatable {
  var name: String
  var flags: UInt32
  var addresses: [InterfaceAddress] = []

  /// `IFF_LOWER_UP` (netdevice(7)), which glibc's headers lack.
  private static let lowerUp: UInt32 = 1 << 16

  var isUp: Bool { flags & UInt32(IFF_UP) != 0 }
  var isRunning: Bool { flags & UInt32(IFF_RUNNING) != 0 }
  /// Whether the driver has a carrier; `IFF_RUNNING` may follow up to a second later.
  var hasCarrier: Bool { flags & Self.lowerUp != 0 }
  var isLoopback: Bool { flags & UInt32(IFF_LOOPBACK) != 0 }
}

/// Lists all interfaces in the kernel's order (getifaddrs(3)); `nil` if that fails.
func listInterfaces() -> [ListedInterface]? {
  var head: UnsafeMutablePointer<ifaddrs>?
  guard unsafe getifaddrs(&head) == 0 else { return nil }
  defer { unsafe freeifaddrs(head) }
  var list: [ListedInterface] = []
  var places: [String: Int] = [:]
  var next = unsafe head
  while let entry = unsafe next {
    unsafe next = entry.pointee.ifa_next
    guard let bytes = unsafe entry.pointee.ifa_name else { continue }
    // A label such as "eth0:1" belongs to the interface before the colon.
    let name = unsafe String(cString: bytes).prefix { $0 != ":" }
    let place = places[String(name)] ?? list.count
    if place == list.count {
      list.append(ListedInterface(name: String(name), flags: unsafe entry.pointee.ifa_flags))
      places[String(name)] = place
    }
    if let address = unsafe InterfaceAddress(entry.pointee) {
      list[place].addresses.append(address)
    }
  }
  return list
}

extension InterfaceAddress {
  fileprivate init?(_ entry: ifaddrs) {
    guard let address = unsafe IPAddress(entry.ifa_addr) else { return nil }
    self.address = address
    prefixLength = unsafe address.prefixLength(mask: entry.ifa_netmask)
  }
}

extension IPAddress {
  /// The number of bits set in a mask; without a mask, the whole address.
  fileprivate func prefixLength(mask: UnsafePointer<sockaddr>?) -> Int {
    guard let mask = unsafe mask else { return bytes.count * 8 }
    // Uses the address's family, since a mask's own field is not always set. An IPv6 mask is
    // read without `IPAddress`, which would misread a prefix of 96 ones.
    let raw = unsafe UnsafeRawPointer(mask)
    switch family {
    case .ipv4:
      return unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr.nonzeroBitCount
    case .ipv6:
      let socket = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      return unsafe withUnsafeBytes(of: socket.sin6_addr) { bytes in
        unsafe bytes.reduce(0) { $0 + $1.nonzeroBitCount }
      }
    }
  }
}

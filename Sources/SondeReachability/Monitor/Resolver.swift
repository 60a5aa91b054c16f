internal import Glibc

extension Endpoint {
  /// The addresses of a host given as an address; `nil` for a name.
  var literalAddresses: [SocketAddress]? { lookUp(flags: AI_NUMERICHOST) }

  /// The addresses of the host, as the system's resolver finds and orders them (RFC 6724).
  ///
  /// Blocks for as long as name servers are silent: ten seconds and more.
  /// - Returns: `nil` if it does not resolve.
  func resolve() -> [SocketAddress]? { lookUp(flags: 0) }

  private func lookUp(flags: Int32) -> [SocketAddress]? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // Not AI_ADDRCONFIG: a machine without any network still has its loopback names.
    unsafe hints.ai_flags = flags
    var head: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, nil, &hints, &head) == 0 else { return nil }
    defer { unsafe freeaddrinfo(head) }
    var addresses: [SocketAddress] = []
    var next = unsafe head
    while let entry = unsafe next {
      unsafe next = entry.pointee.ai_next
      guard let address = unsafe SocketAddress(entry.pointee, port: port) else { continue }
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses.isEmpty ? nil : addresses
  }
}

extension SocketAddress {
  fileprivate init?(_ entry: addrinfo, port: UInt16) {
    guard let address = unsafe IPAddress(entry.ai_addr) else { return nil }
    self.address = address
    self.port = port
    guard unsafe entry.ai_family == AF_INET6, let raw = unsafe UnsafeRawPointer(entry.ai_addr)
    else {
      return
    }
    scope = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_scope_id
  }
}

/// Where the path must lead while the endpoint's name is not resolved: to the name servers, and to
/// the Internet at large.
func standInsForUnresolvedEndpoint() -> [SocketAddress] {
  let servers = smallFile("/etc/resolv.conf").split(separator: "\n").compactMap { line in
    let words = line.split(whereSeparator: \.isWhitespace)
    return words.first == "nameserver" && words.count > 1 ? String(words[1]) : nil
  }
  // The root server A, as good as any other: only the route is asked for, no packet is sent.
  let rootServer = ["198.41.0.4", "2001:503:ba3e::2:30"]
  return (servers + rootServer).flatMap { Endpoint(host: $0, port: 53).literalAddresses ?? [] }
    // A stub on this machine is reached without any network.
    .filter { !$0.address.isLoopback }
}

internal import Glibc

extension Endpoint {
  /// The address of a host given as an address; `nil` for a name.
  var literalAddresses: [SocketAddress]? { lookUp(flags: AI_NUMERICHOST) }

  /// The same for every spelling of a place: names in lower case, addresses in their usual form.
  public var canonical: Endpoint {
    // Without its zone, an address would be that of another link.
    let address = host.contains("%") ? nil : literalAddresses?.first.map { "\($0.address)" }
    return Endpoint(host: address ?? host.lowercased(), port: port)
  }

  /// Resolves the host with the system's resolver, which orders the addresses (RFC 6724).
  ///
  /// Blocks while name servers are silent, for ten seconds or more; `nil` if it does not resolve.
  func resolve() -> [SocketAddress]? { lookUp(flags: 0) }

  /// The first address of the host, as text; blocks as ``resolve()`` does.
  package var firstAddress: String? { resolve()?.first.map { "\($0.address)" } }

  private func lookUp(flags: Int32) -> [SocketAddress]? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // No AI_ADDRCONFIG: without any network a machine still has its loopback names.
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
    (self.address, self.port) = (address, port)
    guard unsafe entry.ai_family == AF_INET6, let raw = unsafe UnsafeRawPointer(entry.ai_addr)
    else {
      return
    }
    scope = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_scope_id
  }
}

/// The targets that stand for an unresolved endpoint: the name servers and the Internet.
func standInsForUnresolvedEndpoint() -> [SocketAddress] {
  let servers = smallFile("/etc/resolv.conf").split(separator: "\n").compactMap { line in
    let words = line.split(whereSeparator: \.isWhitespace)
    return words.first == "nameserver" && words.count > 1 ? String(words[1]) : nil
  }
  // Root server A, as an example: only the route is requested, no packet is sent.
  let rootServer = ["198.41.0.4", "2001:503:ba3e::2:30"]
  return (servers + rootServer).flatMap { Endpoint(host: $0, port: 53).literalAddresses ?? [] }
    // A local stub resolver is reachable without any network.
    .filter { !$0.address.isLoopback }
}

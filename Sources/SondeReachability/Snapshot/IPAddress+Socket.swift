internal import Glibc

extension IPAddress: CustomStringConvertible {
  /// The canonical text (RFC 5952 for IPv6).
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let code = family == .ipv4 ? AF_INET : AF_INET6
    let size = socklen_t(text.count)
    guard unsafe inet_ntop(code, bytes, &text, size) != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Reads a `sockaddr_in` or `sockaddr_in6`; `nil` for a null pointer or another family.
  init?(_ pointer: UnsafePointer<sockaddr>?) {
    guard let raw = unsafe UnsafeRawPointer(pointer) else { return nil }
    // Every kind of address begins with its family (sockaddr(3type)).
    switch Int32(unsafe raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      let socket = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      self.init(ipv4: UInt32(bigEndian: socket.sin_addr.s_addr))
    case AF_INET6:
      let socket = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      self.init(bytes: unsafe withUnsafeBytes(of: socket.sin6_addr) { unsafe Array($0) })
    default: return nil
    }
  }
}

/// An address and a port.
struct SocketAddress: Hashable, Sendable {
  var address: IPAddress
  var port: UInt16
  /// The interface of a link-local address; 0 for none.
  var scope: UInt32 = 0

  /// Opens a non-blocking, close-on-exec socket of the address's family; -1 if that fails.
  func makeSocket(_ type: __socket_type) -> Int32 {
    let flags = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    return socket(address.family == .ipv4 ? AF_INET : AF_INET6, flags, 0)
  }

  /// Calls `connect`; returns 0 or an `errno`.
  func connect(_ descriptor: Int32) -> Int32 {
    let result =
      switch address.family {
      case .ipv4: connect(descriptor, ipv4)
      case .ipv6: connect(descriptor, ipv6)
      }
    return result == 0 ? 0 : errno
  }

  private var ipv4: sockaddr_in {
    var socket = sockaddr_in()
    socket.sin_family = sa_family_t(AF_INET)
    socket.sin_port = port.bigEndian
    socket.sin_addr.s_addr = UInt32(truncatingIfNeeded: address.low).bigEndian
    return socket
  }

  private var ipv6: sockaddr_in6 {
    var socket = sockaddr_in6()
    socket.sin6_family = sa_family_t(AF_INET6)
    socket.sin6_port = port.bigEndian
    socket.sin6_scope_id = scope
    unsafe withUnsafeMutableBytes(of: &socket.sin6_addr) {
      unsafe $0.copyBytes(from: address.bytes)
    }
    return socket
  }

  private func connect<Raw>(_ descriptor: Int32, _ socket: Raw) -> Int32 {
    unsafe withUnsafeBytes(of: socket) { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      let pointer = unsafe base.assumingMemoryBound(to: sockaddr.self)
      return unsafe Glibc.connect(descriptor, pointer, socklen_t(bytes.count))
    }
  }

  /// The local address of a connected socket.
  static func local(of descriptor: Int32) -> IPAddress? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) { storage in
      let pointer = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self)
      guard unsafe getsockname(descriptor, pointer, &size) == 0 else { return nil }
      return unsafe IPAddress(pointer)
    }
  }
}

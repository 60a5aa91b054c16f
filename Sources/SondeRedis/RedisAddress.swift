import Glibc
import SondeSystem

/// An address to connect to, in the form of the system.
struct RedisAddress {
  private let bytes: [UInt8]

  /// The address family, such as `AF_INET6`.
  var family: Int32 {
    Int32(unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sa_family_t.self) })
  }

  /// The address of a Unix socket; its path has less than 108 bytes.
  init(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      unsafe room.copyBytes(from: Array(path.utf8).prefix(room.count - 1))
    }
    bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
  }

  private init(_ info: addrinfo) {
    let start = unsafe UnsafeRawPointer(info.ai_addr)
    bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(info.ai_addrlen)))
  }

  /// Resolves a host's name or address; there is at least one result.
  static func all(of host: String, port: UInt16) throws(RedisError) -> [RedisAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var head: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &head)
    defer { if let head = unsafe head { unsafe freeaddrinfo(head) } }
    guard code == 0 else {
      let words = unsafe gai_strerror(code).map { unsafe String(cString: $0) }
      throw RedisError(.unreachable, words ?? "\(host) cannot be resolved")
    }
    var (all, next) = unsafe ([RedisAddress](), head)
    while let entry = unsafe next {
      unsafe all.append(RedisAddress(entry.pointee))
      unsafe next = entry.pointee.ai_next
    }
    return all
  }

  /// Begins to connect a socket; returns whether it is connected, otherwise `errno` has the reason.
  func connect(_ descriptor: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return false
      }
      return unsafe Glibc.connect(descriptor, address, socklen_t(bytes.count)) == 0
    }
  }
}

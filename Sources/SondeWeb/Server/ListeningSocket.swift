import Glibc
import SondeSystem

/// A listening socket.
struct ListeningSocket {
  let descriptor: Descriptor
  /// Its address, with the port that the system chose if 0 was requested.
  let authority: Authority

  init(_ authority: Authority) throws(ServerError) {
    let host =
      authority.host.hasPrefix("[") ? authority.host.dropFirst().dropLast() : authority.host[...]
    guard let address = NumericAddress(host), let port = authority.port else {
      throw .address("\(authority)")
    }
    do throws(SystemError) {
      descriptor = try Self.listen(address, port: UInt16(truncatingIfNeeded: port))
      self.authority = Authority(host: authority.host, port: try Self.port(of: descriptor))
    } catch {
      throw .listening(at: "\(authority)", error.code)
    }
  }

  private static func listen(_ address: NumericAddress, port: UInt16) throws(SystemError)
    -> Descriptor
  {
    let family = address.isIPv4 ? AF_INET : AF_INET6
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = Descriptor(owning: socket(family, type, 0))
    guard descriptor.number >= 0 else { throw SystemError() }
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_REUSEADDR, &yes, size)
    guard bind(descriptor.number, address, port: port) == 0,
      Glibc.listen(descriptor.number, 1024) == 0
    else { throw SystemError() }
    return descriptor
  }

  private static func bind(_ descriptor: Int32, _ address: NumericAddress, port: UInt16) -> Int32 {
    if address.isIPv4 {
      var name = sockaddr_in()
      (name.sin_family, name.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
      name.sin_addr.s_addr = UInt32(truncatingIfNeeded: address.low).bigEndian
      return unsafe withUnsafeSocketAddress(&name) { unsafe Glibc.bind(descriptor, $0, $1) }
    }
    var name = sockaddr_in6()
    (name.sin6_family, name.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
    name.sin6_addr = address.bytes
    return unsafe withUnsafeSocketAddress(&name) { unsafe Glibc.bind(descriptor, $0, $1) }
  }

  private static func port(of descriptor: Descriptor) throws(SystemError) -> Int {
    var name = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = unsafe withUnsafeMutablePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe getsockname(descriptor.number, name, &size)
      }
    }
    guard code == 0 else { throw SystemError() }
    // The port is at the same offset in a `sockaddr_in`.
    return Int(UInt16(bigEndian: name.sin6_port))
  }
}

/// Calls `body` with the address in the form of the system's calls.
private func withUnsafeSocketAddress<Name, Result>(
  _ name: inout Name,
  _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  unsafe withUnsafePointer(to: &name) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      unsafe body(pointer, socklen_t(MemoryLayout<Name>.size))
    }
  }
}

/// Raises the limit of open files for a server, if permitted (getrlimit(2)).
func allowDescriptors(_ count: Int) {
  var limit = rlimit()
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
  limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
  _ = unsafe setrlimit(resource, &limit)
}

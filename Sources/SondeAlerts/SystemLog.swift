import Glibc
package import SondeSystem

/// The machine's log daemon (RFC 3164 §4.1, with the local form of syslog(3): without a host name,
/// with a process ID).
package struct SystemLog: Sendable {
  /// How long to wait for a full log, in seconds.
  private static let patience = 5

  /// The daemon's socket (glibc's `_PATH_LOG`).
  var path = "/dev/log"

  /// Ends the wait for a full log.
  package let interruption: Interruption

  package init(path: String = "/dev/log", interruption: Interruption) {
    (self.path, self.interruption) = (path, interruption)
  }

  /// Writes a line, without its end, at a level such as `LOG_NOTICE`; the facility is `LOG_DAEMON`.
  ///
  /// - Throws: ``SystemError`` if it was not received.
  func write(_ text: String, as level: Int32) throws(SystemError) {
    let (socket, isStream) = try connect()
    let head = "<\(LOG_DAEMON | level)>\(localTime()) sonde[\(getpid())]: "
    // In a stream, a zero byte ends a message.
    var rest = Array((head + text + (isStream ? "\0" : "")).utf8)[...]
    while !rest.isEmpty {
      let count = interruption.run {
        unsafe rest.withUnsafeBytes { bytes in
          unsafe send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
      }
      guard let count else { throw SystemError(EINTR) }
      guard count > 0 else { throw SystemError() }
      rest = rest.dropFirst(count)
    }
  }

  /// Connects to the daemon, with either type of socket.
  ///
  /// - Throws: ``SystemError`` if there is none.
  func connect() throws(SystemError) -> (socket: Descriptor, isStream: Bool) {
    do throws(SystemError) {
      return (try connect(SOCK_DGRAM), false)
    } catch  where error.code == EPROTOTYPE {
      return (try connect(SOCK_STREAM), true)
    }
  }

  private func connect(_ kind: __socket_type) throws(SystemError) -> Descriptor {
    let type = Int32(kind.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = Descriptor(owning: socket(AF_UNIX, type, 0))
    guard descriptor.number >= 0 else { throw SystemError() }
    var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemError(ENAMETOOLONG)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = interruption.run {
      unsafe withUnsafeBytes(of: address) { bytes in
        guard let base = bytes.baseAddress else { return -1 }
        let pointer = unsafe base.assumingMemoryBound(to: sockaddr.self)
        return Int(unsafe Glibc.connect(descriptor.number, pointer, socklen_t(bytes.count)))
      }
    }
    guard let result else { throw SystemError(EINTR) }
    guard result == 0 else { throw SystemError() }
    return descriptor
  }

  /// The local time as `Jan  2 03:04:05`.
  private func localTime() -> String {
    var now = time(nil)
    var date = unsafe tm()
    unsafe localtime_r(&now, &date)
    var text = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&text, text.count, "%b %e %H:%M:%S", &date)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

import Glibc
package import SondeSystem

/// A connection between a server and a command on the same machine.
package struct ControlConnection {
  private static let longestLine = 4096

  private let socket: Descriptor

  /// Limits each read and write to `patience`, in seconds.
  package init(_ socket: Descriptor, patience: Int) {
    self.socket = socket
    var time = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      let size = socklen_t(MemoryLayout<timeval>.size)
      unsafe setsockopt(socket.number, SOL_SOCKET, option, &time, size)
    }
  }

  /// Whether the peer runs as this user or as root (`SO_PEERCRED`, unix(7)).
  var isTrusted: Bool {
    // A `struct ucred`: process, user and group.
    var credentials: [UInt32] = [0, .max, .max]
    var size = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
    let code = unsafe getsockopt(socket.number, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    return code == 0 && (credentials[1] == geteuid() || credentials[1] == 0)
  }

  /// Reads until the peer closes, without the last line end; `nil` without data.
  package func readAll() -> String? {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe recv(socket.number, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      text += buffer.prefix(count)
    }
    guard text.last == UInt8(ascii: "\n") else { return nil }
    return String(validating: text.dropLast(), as: UTF8.self)
  }

  /// The next line, without its end; `nil` if there is none.
  func readLine() -> String? {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while line.count < Self.longestLine {
      let count = unsafe recv(socket.number, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      line += buffer.prefix(count)
      if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        return String(validating: line[..<end], as: UTF8.self)
      }
    }
    return nil
  }

  /// Sends a text; errors are ignored.
  package func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

import Glibc
import Synchronization
import SondeSystem

/// Answers every connection with the same bytes, whatever is asked, and closes it behind them.
public final class FakeRedis: Sendable {
  /// Where it listens.
  public let path = "/tmp/sonde-redis-\(getpid())-\(UInt64.random(in: 0 ... .max))"
  private let bytes: Mutex<[UInt8]>

  /// Begins to listen, until the process ends.
  ///
  /// - Parameter bytes: What it answers.
  /// - Throws: `SystemError`.
  public init(_ bytes: [UInt8] = []) throws {
    self.bytes = Mutex(bytes)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      unsafe room.copyBytes(from: Array(path.utf8).prefix(room.count - 1))
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, size)
      }
    }
    guard listener >= 0, bound == 0, listen(listener, 16) == 0 else { throw SystemError() }
    try Thread { [self] in serve(listener) }.detach()
  }

  /// Answers the next connections with other bytes.
  public func answer(with bytes: [UInt8]) { self.bytes.withLock { $0 = bytes } }

  /// The socket's file goes; who is connected stays.
  public func hide() { unsafe unlink(path) }

  private func serve(_ listener: Int32) {
    // The one before is open until then: what is closed with unread bytes takes its answer back.
    var last: Int32 = -1
    while true {
      let connection = accept(listener, nil, nil)
      close(last)
      last = connection
      let answer = bytes.withLock { $0 }
      _ = unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
      shutdown(connection, Int32(SHUT_WR))
    }
  }
}

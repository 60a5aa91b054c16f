#if DEBUG
  import Glibc
  import Synchronization
  import System

  /// Takes connections, and answers with the bytes at hand, whatever is asked.
  final class FakeRedis: Sendable {
    /// Its socket.
    let path = "/tmp/sonde-fuzz-\(getpid())"
    private let bytes = Mutex<[UInt8]>([])

    init() throws(SystemError) {
      let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
        unsafe room.copyBytes(from: Array(path.utf8).prefix(room.count - 1))
      }
      unsafe unlink(path)
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let bound = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(listener, $0, size)
        }
      }
      guard listener >= 0, bound == 0, listen(listener, 16) == 0 else { throw SystemError() }
      try Thread { [self] in serve(listener) }.detach()
    }

    /// Answers the next connection with these bytes.
    func answer(with bytes: [UInt8]) { self.bytes.withLock { $0 = bytes } }

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
#endif

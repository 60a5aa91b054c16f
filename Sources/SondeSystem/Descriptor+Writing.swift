import Glibc

/// The reason why not all bytes were written.
public enum WriteObstacle: Sendable, Equatable {
  /// Writing failed.
  case failed(SystemError)
  /// Waiting for a reader was interrupted.
  case interrupted
}

extension Descriptor {
  /// Writes all bytes, and waits for a reader if necessary, even if another process made the file
  /// non-blocking.
  ///
  /// Without an interruption, the wait is unlimited. Returns the number of bytes written, and why
  /// not all of them were; `nil` if all were.
  public func write(
    _ bytes: [UInt8],
    endedBy interruption: Interruption?
  ) -> (written: Int, obstacle: WriteObstacle?) {
    var written = 0
    while written < bytes.count {
      guard let count = run({ writeOnce(bytes, from: written) }, endedBy: interruption) else {
        return (written, .interrupted)
      }
      if count >= 0 {
        written += count
      } else if errno != EAGAIN {
        return (written, .failed(SystemError()))
      } else if run(waitUntilWritable, endedBy: interruption) == nil {
        return (written, .interrupted)
      }
    }
    return (written, nil)
  }

  /// Writes all bytes, and waits for a reader if necessary.
  public func write(_ bytes: [UInt8]) throws(SystemError) {
    switch write(bytes, endedBy: nil).obstacle {
    case .failed(let error): throw error
    case .interrupted: throw SystemError(EINTR)
    case nil: break
    }
  }

  /// Writes a whole text.
  public func write(_ text: String) throws(SystemError) { try write(Array(text.utf8)) }

  /// The result of a blocking call; `nil` if it was interrupted.
  private func run(_ call: () -> Int, endedBy interruption: Interruption?) -> Int? {
    if let interruption { return interruption.run(call) }
    while true {
      let result = call()
      guard result < 0, errno == EINTR else { return result }
    }
  }

  private func writeOnce(_ bytes: [UInt8], from start: Int) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe Glibc.write(number, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
    }
  }

  private func waitUntilWritable() -> Int {
    var polled = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    return Int(unsafe poll(&polled, 1, -1))
  }
}

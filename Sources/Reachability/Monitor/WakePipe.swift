internal import Glibc

/// Wakes a thread that sleeps in `poll`.
final class WakePipe: Sendable {
  /// The end to poll.
  let readEnd: Int32
  private let writeEnd: Int32

  /// - Returns: `nil` when the process may open no more files.
  init?() {
    var ends: [Int32] = [-1, -1]
    // Unlike `pipe`, it can be closed to programs started meanwhile from the very beginning.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Wakes the thread; a pipe that is full wakes it as well.
  func ring() {
    var byte: UInt8 = 1
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Forgets all rings so far.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
  }
}

import Glibc

/// Ends a wait in poll(2), from another thread or a signal handler.
public final class WakePipe: Sendable {
  /// The condition to wait for.
  public enum Readiness: Sendable {
    /// Data can be read, or the other side has hung up.
    case reading
    /// Data can be written, or the other side has hung up.
    case writing
    /// The other side has hung up.
    case hangUp
  }

  /// The result of a wait.
  public enum Wait: Sendable {
    case ready, timedOut, rung
  }

  /// The descriptor to poll.
  public let readEnd: Int32
  private let writeEnd: Int32

  /// Creates a pipe that has not been rung; throws if the process cannot open more files.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    // Unlike with `pipe`, a program started at the same time cannot inherit it.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError() }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Ends the current wait and all later ones until ``clear()``; async-signal-safe.
  public func ring() {
    var byte: UInt8 = 1
    // A full pipe also wakes.
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Clears all rings so far.
  public func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
  }

  /// Waits until a descriptor is ready, the deadline has passed or this is rung.
  ///
  /// A negative descriptor is never ready; without a deadline, waiting is unlimited.
  public func wait(
    for readiness: Readiness,
    of descriptor: Int32,
    until deadline: ContinuousClock.Instant? = nil
  ) -> Wait {
    var entries = [
      pollfd(fd: descriptor, events: readiness.events, revents: 0),
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let time = deadline.map { ($0 - .now).wholeMilliseconds } ?? -1
      let count = unsafe poll(&entries, nfds_t(entries.count), time)
      if count > 0 { return entries[1].revents != 0 ? .rung : .ready }
      if count == 0, let deadline, .now >= deadline { return .timedOut }
    }
  }
}

extension WakePipe.Readiness {
  fileprivate var events: Int16 {
    switch self {
    case .reading: Int16(POLLIN)
    case .writing: Int16(POLLOUT)
    // poll(2) always reports errors and hang-ups.
    case .hangUp: 0
    }
  }
}

import Glibc

/// Ends a wait in poll(2) from another thread or a signal handler.
public final class WakePipe: Sendable {
  /// What is waited for.
  public enum Readiness: Sendable {
    /// There is something to read, or the other side has gone.
    case reading
    /// There is room to write to, or the other side has gone.
    case writing
    /// The other side has gone.
    case hangUp
  }

  /// How a wait ended.
  public enum Wait: Sendable {
    case ready, timedOut, rung
  }

  /// The end to poll.
  public let readEnd: Int32
  private let writeEnd: Int32

  /// Makes a pipe that has not been rung.
  /// - Throws: ``SystemError`` when the process may open no more files.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    // Unlike with `pipe`, no program started meanwhile can inherit it.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError() }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Ends the present wait and, until ``clear()``, every later one; may be called in a signal handler.
  public func ring() {
    var byte: UInt8 = 1
    // A pipe that is full wakes as well.
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Forgets all rings so far.
  public func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
  }

  /// Waits until a descriptor is ready, the deadline has passed or this is rung.
  ///
  /// - Parameters:
  ///   - readiness: What is waited for.
  ///   - descriptor: The descriptor; a negative one is never ready.
  ///   - deadline: When waiting ends; `nil` is never.
  /// - Returns: How it ended.
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
    // poll(2) reports errors and hang-ups unasked.
    case .hangUp: 0
    }
  }
}

import Glibc
import SondeSystem
import Synchronization

/// A connected socket that never blocks beyond a deadline.
///
/// It has one owner; only ``interrupt`` may be used by other threads.
final class RedisSocket {
  typealias Instant = ContinuousClock.Instant

  /// The descriptor, for TLS.
  let descriptor: Int32
  private let number: Number

  /// The descriptor while it is open, for interrupting a call.
  private final class Number: Sendable {
    let value: Mutex<Int32?>
    init(_ value: Int32) { self.value = Mutex(value) }
  }

  /// Connects by a deadline, which name resolution may exceed.
  convenience init(to place: RedisPlace.Socket, by deadline: Instant) throws(RedisError) {
    switch place {
    case .unix(let path):
      self.init(try Self.connect(RedisAddress(path: path), by: deadline))
    case .tcp(let host, let port):
      let addresses = try RedisAddress.all(of: host, port: port)
      var failure = RedisError(.unreachable, "\(host) has no address")
      for (index, address) in addresses.enumerated() {
        // An address that does not answer leaves time for those behind it.
        let share = (deadline - .now) / (addresses.count - index)
        do throws(RedisError) {
          self.init(try Self.connect(address, by: .now + share))
          return
        } catch {
          failure = error
        }
      }
      throw failure
    }
  }

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    number = Number(descriptor)
  }

  deinit {
    number.value.withLock { $0 = nil }
    close(descriptor)
  }

  private static func connect(
    _ address: RedisAddress,
    by deadline: Instant
  ) throws(RedisError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.family, type | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure(errno) }
    do throws(RedisError) {
      if !address.connect(descriptor) {
        guard errno == EINPROGRESS else { throw failure(errno) }
        guard wait(for: POLLOUT, on: descriptor, by: deadline) else { throw failure(ETIMEDOUT) }
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { throw failure(code) }
      }
      if address.family != AF_UNIX {
        var isOn: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// The error of a system call.
  static func failure(_ code: Int32) -> RedisError {
    let hasEnded = code == ECONNRESET || code == EPIPE
    return RedisError(hasEnded ? .ended : .unreachable, SystemError(code).description)
  }

  // MARK: - Reading and writing

  /// Reads what has arrived, waiting for it until the deadline; `nil` after the deadline, and empty
  /// at the end.
  func read(by deadline: Instant) throws(RedisError) -> [UInt8]? {
    while true {
      var count = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.pageSize) { room, length in
        count = unsafe recv(descriptor, room.baseAddress, room.count, 0)
        length = max(count, 0)
      }
      if count >= 0 { return bytes }
      switch errno {
      case EINTR: continue
      case EAGAIN: guard wait(for: POLLIN, by: deadline) else { return nil }
      default: throw Self.failure(errno)
      }
    }
  }

  /// Writes bytes; returns whether all were written by the deadline.
  func write(_ bytes: [UInt8], by deadline: Instant) throws(RedisError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { rest in
        unsafe send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: guard wait(for: POLLOUT, by: deadline) else { return false }
      default: throw Self.failure(errno)
      }
    }
    return true
  }

  /// The number of bytes read at a time.
  static let pageSize = 64 << 10

  /// Waits until the socket is ready; returns whether it is by the deadline.
  func wait(for events: Int32, by deadline: Instant) -> Bool {
    Self.wait(for: events, on: descriptor, by: deadline)
  }

  private static func wait(for events: Int32, on number: Int32, by deadline: Instant) -> Bool {
    var entry = pollfd(fd: number, events: Int16(events), revents: 0)
    while true {
      let left = (deadline - .now).wholeMilliseconds
      guard left > 0 else { return false }
      if unsafe poll(&entry, 1, Int32(left)) > 0 { return true }
    }
  }

  /// Ends the connection, from any thread; a running call ends at once.
  var interrupt: @Sendable () -> Void {
    { [number] in
      // Under the lock, so that the descriptor has not been reused.
      number.value.withLock { number in
        if let number { shutdown(number, Int32(SHUT_RDWR)) }
      }
    }
  }
}

internal import CSondeAres
import Glibc

/// The system calls of c-ares (ares_set_socket_functions(3)).
///
/// Its own functions treat an empty datagram as the end of the connection, which fails all
/// questions of the channel, and do not report why a call failed.
enum ChannelSockets {
  /// The requested size of the receive buffer, which the kernel may limit (socket(7)).
  private static let room: Int32 = 4 << 20

  /// Never changed or freed, since c-ares refers to it.
  nonisolated(unsafe) static let functions = {
    let table = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
    unsafe table.initialize(
      to: ares_socket_functions(
        asocket: { domain, type, transport, context in
          unsafe note(open(domain, type, transport), context)
        },
        aclose: { descriptor, _ in close(descriptor) },
        aconnect: { descriptor, address, count, context in
          unsafe note(connect(descriptor, address, count), context)
        },
        arecvfrom: { descriptor, bytes, count, flags, address, length, context in
          unsafe note(receive(descriptor, bytes, count, flags, address, length), context)
        },
        asendv: { descriptor, data, count, context in
          unsafe note(send(descriptor, data, count), context)
        }
      )
    )
    return unsafe UnsafePointer(table)
  }()

  private static func note<Number: SignedInteger>(
    _ result: Number,
    _ channel: UnsafeMutableRawPointer?
  ) -> Number {
    guard let channel = unsafe channel else { return result }
    return unsafe Unmanaged<NameChannel>.fromOpaque(channel).takeUnretainedValue().note(result)
  }

  private static func open(_ domain: Int32, _ type: Int32, _ transport: Int32) -> Int32 {
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(domain, type | flags, transport)
    guard descriptor >= 0 else { return descriptor }
    var room = Self.room
    for option in [SO_RCVBUF, SO_SNDBUF] {
      // With a smaller buffer, answers are lost and requested again.
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &room, 4)
    }
    return descriptor
  }

  private static func receive(
    _ descriptor: Int32,
    _ bytes: UnsafeMutableRawPointer?,
    _ count: Int,
    _ flags: Int32,
    _ address: UnsafeMutablePointer<sockaddr>?,
    _ length: UnsafeMutablePointer<socklen_t>?
  ) -> Int {
    // Without an address it is TCP, where no bytes mean the end.
    guard let length = unsafe length, let bytes = unsafe bytes else {
      return unsafe recv(descriptor, bytes, count, flags)
    }
    let room = unsafe length.pointee
    for _ in 0..<1000 {
      unsafe length.pointee = room
      let received = unsafe recvfrom(descriptor, bytes, count, flags, address, length)
      if received != 0 { return received }
    }
    errno = EAGAIN
    return -1
  }

  private static func send(
    _ descriptor: Int32,
    _ data: UnsafePointer<iovec>?,
    _ count: Int32
  ) -> Int {
    var message = unsafe msghdr()
    unsafe message.msg_iov = UnsafeMutablePointer(mutating: data)
    unsafe message.msg_iovlen = Int(count)
    while true {
      let sent = unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
      guard sent < 0, errno == EAGAIN, isDatagram(descriptor) else { return sent }
      // A full queue drains at the speed of the link; c-ares would treat it as an error.
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&entry, 1, 100) > 0 else { return sent }
    }
  }

  private static func isDatagram(_ descriptor: Int32) -> Bool {
    var (type, size) = (Int32(0), socklen_t(4))
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else {
      return false
    }
    return type == Int32(SOCK_DGRAM.rawValue)
  }
}

internal import CSondeNetlink
internal import Glibc

/// A netlink socket to the kernel's routing tables; used by one thread.
struct NetlinkSocket: ~Copyable {
  /// The descriptor, for polling.
  let descriptor: Int32

  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  /// Opens a socket, which needs no privileges but may be forbidden in a container.
  /// - Parameter groups: The notifications to receive (`RTMGRP_LINK` and so on), 0 for none.
  init?(groups: Int32 = 0) {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_NETLINK, type, NETLINK_ROUTE)
    guard descriptor >= 0 else { return nil }
    guard bind(groups: UInt32(bitPattern: groups)), limitWaiting() else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  private func bind(groups: UInt32) -> Bool {
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = groups
    return unsafe withUnsafeBytes(of: address) { bytes in
      guard let base = bytes.baseAddress else { return false }
      let pointer = unsafe base.assumingMemoryBound(to: sockaddr.self)
      return unsafe Glibc.bind(descriptor, pointer, socklen_t(bytes.count)) == 0
    }
  }

  /// Sets a time limit; the kernel answers at once, but nothing must ever hang.
  private func limitWaiting() -> Bool {
    var limit = timeval(tv_sec: 0, tv_usec: 100_000)
    let size = socklen_t(MemoryLayout<timeval>.size)
    return unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0
  }

  func send(_ request: NetlinkRequest) -> Bool {
    unsafe Glibc.send(descriptor, request.bytes, request.bytes.count, 0) == request.bytes.count
  }

  /// Receives the messages of one datagram; `nil` if there is none.
  mutating func receive() -> [NetlinkMessage]? {
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? NetlinkMessage.all(in: buffer[..<count]) : nil
  }

  /// Requests a list, without its end marker; `nil` if it is incomplete.
  mutating func list(_ request: NetlinkRequest, sequence: UInt32) -> [NetlinkMessage]? {
    guard send(request) else { return nil }
    var list: [NetlinkMessage] = []
    while let messages = receive() {
      for message in messages where message.sequence == sequence {
        if message.type == Int(NLMSG_DONE) { return list }
        if message.error != nil { return nil }
        list.append(message)
      }
    }
    return nil
  }

  /// The subject of notifications.
  enum Notices {
    case link
    case other
  }

  /// Discards all pending notifications, including the report of an overflow.
  /// - Returns: Whether any of them concerns links; `nil` if the socket is no longer usable.
  mutating func drain() -> Notices? {
    var notices = Notices.other
    // More may arrive as fast as it is read; the rest wakes the reader again.
    for _ in 0..<64 {
      let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      let error = errno
      if count < 0, error == EAGAIN { break }
      guard count > 0 || error == ENOBUFS || error == EINTR else { return nil }
      let type = buffer[..<max(0, count)].value(at: 4, as: UInt16.self).map(Int.init)
      // Notifications lost in an overflow may have concerned links as well.
      if type == nil || type == Int(RTM_NEWLINK) || type == Int(RTM_DELLINK) { notices = .link }
    }
    return notices
  }
}

/// All notifications that can change the verdict.
let watchedGroups: Int32 =
  RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE

internal import CSondeCurl  // Optimized builds find sockaddr in it.
import Glibc
import SondeSystem

/// The open sockets of a client's connections; used by the thread of its loop.
///
/// libcurl closes a socket that was never connected without calling back (7.88, cf_socket_close),
/// and another file may get its number, so each socket is recognised by its identity.
final class OpenSockets {
  private var sockets: [Int32: FileIdentity] = [:]

  func insert(_ socket: Int32) { sockets[socket] = FileStatus(descriptor: socket)?.identity }

  /// Removes a socket that is about to be closed.
  func remove(_ socket: Int32) { sockets[socket] = nil }

  /// Withdraws all data that was written to any of them and has not arrived.
  func takeBackUndelivered() {
    sockets = sockets.filter { FileStatus(descriptor: $0.key)?.identity == $0.value }
    for socket in sockets.keys { SondeTransfer.takeBackUndelivered(socket) }
  }
}

/// Withdraws data written to a TCP connection that has not arrived, by ending the connection.
///
/// After an ordinary close, the kernel would retry for minutes. A request abandoned during a loss
/// of the network would arrive after it, and count in a later window of the quota. A connection
/// without undelivered data is not touched.
func takeBackUndelivered(_ socket: Int32) {
  guard isConnecting(socket) || undelivered(socket) > 0 else { return }
  // Connecting to no address ends a TCP connection at once (connect(2), AF_UNSPEC).
  var nowhere = sockaddr()
  nowhere.sa_family = sa_family_t(AF_UNSPEC)
  unsafe connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
}

/// The number of bytes written and not yet acknowledged: SIOCOUTQ (tcp(7)), by its other name.
private func undelivered(_ socket: Int32) -> Int32 {
  var count: Int32 = 0
  return unsafe ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? count : 0
}

private func isConnecting(_ socket: Int32) -> Bool {
  var address = sockaddr_storage()
  var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
  return unsafe withUnsafeMutablePointer(to: &address) { address in
    let pointer = unsafe UnsafeMutableRawPointer(address).assumingMemoryBound(to: sockaddr.self)
    return unsafe getpeername(socket, pointer, &size) != 0 && errno == ENOTCONN
  }
}

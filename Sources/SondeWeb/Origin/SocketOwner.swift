import Glibc
import SondeSystem

/// Finds out whose socket the peer of a connection on this machine is.
///
/// The kernel is asked by sock_diag(7); where it does not answer, its list of sockets is read
/// (`/proc/net/tcp`, proc_pid_net(5)).
enum SocketOwner {
  /// The ends of the peer's connection, as the peer sees them.
  struct Ends: Equatable {
    let own: NumericAddress
    let ownPort: UInt16
    let other: NumericAddress
    let otherPort: UInt16

    /// The ends of the connection of one of our sockets; `nil` if it has none.
    init?(ofPeerOf descriptor: Int32) {
      guard let peer = unsafe Self.name(descriptor, getpeername),
        let here = unsafe Self.name(descriptor, getsockname)
      else { return nil }
      (own, ownPort) = peer
      (other, otherPort) = here
    }

    init(_ own: NumericAddress, _ ownPort: UInt16, _ other: NumericAddress, _ otherPort: UInt16) {
      (self.own, self.ownPort) = (own, ownPort)
      (self.other, self.otherPort) = (other, otherPort)
    }

    private typealias Naming = (
      Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>
    ) -> Int32

    private static func name(_ socket: Int32, _ naming: Naming) -> (NumericAddress, UInt16)? {
      var storage = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        let raw = UnsafeMutableRawPointer(pointer)
        let name = unsafe raw.assumingMemoryBound(to: sockaddr.self)
        guard unsafe naming(socket, name, &size) == 0 else { return nil }
        // The size tells the families apart; a Unix socket's has another.
        switch Int(size) {
        case MemoryLayout<sockaddr_in>.size:
          let name = unsafe raw.loadUnaligned(as: sockaddr_in.self)
          return (NumericAddress(name.sin_addr), UInt16(bigEndian: name.sin_port))
        case MemoryLayout<sockaddr_in6>.size:
          let name = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
          return (NumericAddress(name.sin6_addr), UInt16(bigEndian: name.sin6_port))
        default: return nil
        }
      }
    }
  }

  /// Whether the peer of a socket of ours is a socket of this user or of root.
  ///
  /// One that is closed already is nobody's.
  static func isOurs(peerOf descriptor: Int32) -> Bool {
    guard let ends = Ends(ofPeerOf: descriptor) else { return false }
    let user = asked(ends) ?? listed(ends)
    return user == geteuid() || user == 0
  }

  // MARK: - sock_diag

  private static let requestSize = 72
  private static let byFamily: UInt16 = 20  // SOCK_DIAG_BY_FAMILY
  private static let isError: UInt16 = 2  // NLMSG_ERROR

  /// The user by the kernel's answer; `nil` if there is none.
  private static func asked(_ ends: Ends) -> UInt32? {
    let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = Descriptor(owning: Glibc.socket(AF_NETLINK, kind, 4))  // NETLINK_SOCK_DIAG
    guard socket.number >= 0 else { return nil }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    let question = question(ends)
    let sent = unsafe question.withUnsafeBytes {
      unsafe send(socket.number, $0.baseAddress, $0.count, 0)
    }
    guard sent == question.count else { return nil }
    var answer = [UInt8](repeating: 0, count: 1024)
    let count = unsafe recv(socket.number, &answer, answer.count, 0)
    return user(in: Array(answer.prefix(max(0, count))))
  }

  /// A `struct nlmsghdr` and a `struct inet_diag_req_v2` for one socket.
  static func question(_ ends: Ends) -> [UInt8] {
    let isIPv4 = ends.own.isIPv4
    var bytes: [UInt8] = []
    func add(_ value: some FixedWidthInteger) {
      var value = value
      unsafe withUnsafeBytes(of: &value) { unsafe bytes.append(contentsOf: $0) }
    }
    add(UInt32(requestSize))
    add(byFamily)
    add(UInt16(1))  // NLM_F_REQUEST
    add(UInt64(1))  // the sequence and the port
    add(UInt8(isIPv4 ? AF_INET : AF_INET6))
    add(UInt8(IPPROTO_TCP))
    add(UInt16(0))
    add(UInt32.max)  // any state
    add(ends.ownPort.bigEndian)
    add(ends.otherPort.bigEndian)
    for address in [ends.own, ends.other] {
      if isIPv4 {
        add(UInt32(truncatingIfNeeded: address.low).bigEndian)
        bytes += [UInt8](repeating: 0, count: 12)
      } else {
        add(address.high.bigEndian)
        add(address.low.bigEndian)
      }
    }
    add(UInt32(0))
    add(UInt64.max)  // no cookie
    return bytes
  }

  /// The user in a `struct inet_diag_msg` behind its `struct nlmsghdr`; `nil` for another answer,
  /// or a socket without an inode.
  static func user(in answer: [UInt8]) -> UInt32? {
    guard answer.count >= 88 else { return nil }
    func word(_ offset: Int) -> UInt32 {
      unsafe answer.withUnsafeBytes {
        unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      }
    }
    guard word(4) & 0xffff == UInt32(byFamily), word(84) != 0 else { return nil }
    return word(80)
  }

  // MARK: - /proc

  /// The user by the kernel's list; `nil` if the socket is not in it.
  private static func listed(_ ends: Ends) -> UInt32? {
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let file = try? Descriptor(opening: path, O_RDONLY) else { continue }
      var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
      while true {
        let count = unsafe read(file.number, &buffer, buffer.count)
        guard count > 0 else { break }
        text += buffer.prefix(count)
      }
      if let user = user(of: ends, in: String(decoding: text, as: UTF8.self)) { return user }
    }
    return nil
  }

  /// The user of a socket in such a list; `nil` if it is not in it, or has no inode.
  static func user(of ends: Ends, in list: String) -> UInt32? {
    let wanted = [
      spellings(ends.own, ends.ownPort), spellings(ends.other, ends.otherPort),
    ]
    for line in list.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: " ")
      guard columns.count > 9, wanted[0].contains(String(columns[1])),
        wanted[1].contains(String(columns[2])), columns[9] != "0"
      else { continue }
      return UInt32(columns[7])
    }
    return nil
  }

  /// An address and a port as the lists have them: words of the machine's byte order.
  private static func spellings(_ address: NumericAddress, _ port: UInt16) -> Set<String> {
    func hexadecimal(_ value: some FixedWidthInteger, _ width: Int) -> String {
      let digits = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: width - digits.count) + digits
    }
    let words = [
      address.high >> 32, address.high & 0xffff_ffff, address.low >> 32, address.low & 0xffff_ffff,
    ]
    .map { hexadecimal(UInt32(truncatingIfNeeded: $0).bigEndian, 8) }
    let end = ":" + hexadecimal(port, 4)
    return address.isIPv4 ? [words.joined() + end, words[3] + end] : [words.joined() + end]
  }
}

import Glibc
import SondeOutputs
import SondeReachability
import SondeSystem

/// Answers `GET /metrics`, and nothing else, until it is released.
///
/// One thread serves all connections, one request each; none waits for another.
final class MetricsServer: Sendable {
  /// Makes the text that is served, for each request.
  typealias Page = @Sendable () -> String

  /// Where it listens, as a URL shows it.
  let address: SondeReachability.Endpoint

  private let end: WakePipe

  /// Begins to listen.
  ///
  /// - Throws: ``OutputError`` where nobody can listen there, or no thread or descriptor is free.
  init(on place: SondeReachability.Endpoint, page: @escaping Page) throws(OutputError) {
    let (listener, port) = try listen(on: place)
    address = SondeReachability.Endpoint(host: place.host, port: port)
    do throws(SystemError) {
      let end = try WakePipe()
      self.end = end
      try Thread {
        var loop = MetricsLoop(listener: listener, end: end, page: page)
        loop.run()
      }.detach()
    } catch {
      throw OutputError(name: "\(place)", code: error.code)
    }
  }

  deinit { end.ring() }
}

/// What the server's thread does.
private struct MetricsLoop: ~Copyable {
  /// The most connections at once; a further one ends the oldest.
  private static let limit = 64
  /// How long a connection may take.
  private static let patience = Duration.seconds(3)

  private struct Connection {
    let socket: Descriptor
    let deadline: Duration
    var exchange = MetricsExchange()
  }

  private let listener: Descriptor
  private let end: WakePipe
  private let page: MetricsServer.Page
  /// In the order of their arrival.
  private var connections: [Connection] = []
  private var buffer = [UInt8](repeating: 0, count: 4096)

  init(listener: Descriptor, end: WakePipe, page: @escaping MetricsServer.Page) {
    self.listener = listener
    self.end = end
    self.page = page
  }

  /// Serves until the server is released.
  mutating func run() {
    while true {
      var entries = [(end.readEnd, POLLIN), (listener.number, POLLIN)].map {
        pollfd(fd: $0.0, events: Int16($0.1), revents: 0)
      }
      entries += connections.map {
        let events = $0.exchange.rest.isEmpty ? POLLIN : POLLOUT
        return pollfd(fd: $0.socket.number, events: Int16(events), revents: 0)
      }
      let time = connections.first.map { ($0.deadline - Clocks.steady).wholeMilliseconds } ?? -1
      unsafe poll(&entries, nfds_t(entries.count), time)
      if entries[0].revents != 0 { return }
      serve(entries.dropFirst(2).map { $0.revents != 0 })
      if entries[1].revents != 0 { acceptAll() }
    }
  }

  /// Serves every connection that is ready, and ends those that are over or too slow.
  private mutating func serve(_ isReady: [Bool]) {
    for index in connections.indices where isReady[index] { step(index) }
    let now = Clocks.steady
    connections.removeAll { $0.exchange.isOver || $0.deadline <= now }
  }

  private mutating func step(_ index: Int) {
    let socket = connections[index].socket.number
    if connections[index].exchange.rest.isEmpty {
      let count = unsafe recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      connections[index].exchange.receive(buffer.prefix(max(0, count)), page: page)
    } else {
      let count = unsafe connections[index].exchange.rest.withUnsafeBytes { bytes in
        unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      connections[index].exchange.didSend(count)
    }
  }

  private mutating func acceptAll() {
    while true {
      let number = accept(listener.number, nil, nil)
      if number >= 0 {
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        let deadline = Clocks.steady + Self.patience
        connections.append(Connection(socket: Descriptor(owning: number), deadline: deadline))
        if connections.count > Self.limit { connections.removeFirst() }
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return
      default:
        // Out of descriptors or memory: the oldest connection ends, or there is a pause.
        if connections.isEmpty { usleep(100_000) } else { connections.removeFirst() }
        return
      }
    }
  }
}

/// Opens a socket that listens.
///
/// - Returns: The socket, which does not block, and its port.
private func listen(
  on place: SondeReachability.Endpoint
) throws(OutputError) -> (listener: Descriptor, port: UInt16) {
  var hints = unsafe addrinfo()
  unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  unsafe hints.ai_flags = AI_PASSIVE
  var head: UnsafeMutablePointer<addrinfo>?
  guard unsafe getaddrinfo(place.host, "\(place.port)", &hints, &head) == 0,
    let entry = unsafe head?.pointee
  else { throw OutputError(name: "\(place)", code: EADDRNOTAVAIL) }
  defer { unsafe freeaddrinfo(head) }
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  let listener = Descriptor(owning: unsafe socket(entry.ai_family, type, 0))
  let descriptor = listener.number
  // Where the system has no such address family, or the process no descriptor left.
  guard descriptor >= 0 else { throw OutputError(name: "\(place)", code: errno) }
  var isReused: Int32 = 1
  let size = socklen_t(MemoryLayout<Int32>.size)
  unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, size)
  var address = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  guard unsafe bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0,
    Glibc.listen(descriptor, 64) == 0,
    unsafe withUnsafeMutablePointer(
      to: &address,
      { address in
        let pointer = unsafe UnsafeMutableRawPointer(address).assumingMemoryBound(to: sockaddr.self)
        return unsafe getsockname(descriptor, pointer, &length) == 0
      }
    )
  else {
    throw OutputError(name: "\(place)", code: errno)
  }
  // The port lies at the same place for both families (ip(7), ipv6(7)).
  let port = unsafe withUnsafeBytes(of: address) {
    unsafe $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
  }
  return (listener, UInt16(bigEndian: port))
}

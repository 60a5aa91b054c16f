internal import CSondeMicroHTTPD
import Glibc
import SondeSystem
internal import Synchronization

/// A `struct MHD_Daemon` with its thread, its connections and its callbacks.
///
/// Thread contract: the callbacks run on libmicrohttpd's own thread; ``quiesce()`` and ``stop()``
/// are called by one other thread. Unchecked: the two pointers are never written after ``start()``.
@safe final class Daemon: @unchecked Sendable {
  let mhd: UnsafePointer<sonde_mhd>
  let limits: Limits
  private let certificate: TLSCertificate?
  private let listener: Descriptor
  /// A duplicate of the listening socket.
  ///
  /// libmicrohttpd closes it if the start fails, and otherwise watches it until ``stop()``.
  private let socket = Mutex<Descriptor?>(nil)
  private var daemon: OpaquePointer?
  private let table = Mutex(ConnectionTable())
  private let lastID = Atomic<UInt64>(0)
  private let stops = Atomic(false)

  /// Creates the exchange of a request with a complete header.
  let respond: @Sendable (RequestHead, Connection, Daemon, ConnectionHandle) -> Exchange
  let safety: SafetyHeaders
  /// Whether it matters whose socket a peer is that is no proxy.
  private let judges: Bool
  private let proxies: [PeerNetwork]

  init(
    _ socket: ListeningSocket,
    limits: Limits,
    certificate: TLSCertificate?,
    safety: SafetyHeaders,
    judges: Bool,
    proxies: [PeerNetwork],
    respond: @escaping @Sendable (RequestHead, Connection, Daemon, ConnectionHandle) -> Exchange
  ) throws(ServerError) {
    do throws(LibraryError) {
      unsafe mhd = try LibMicroHTTPD.functions()
    } catch {
      throw .library("\(error)")
    }
    listener = socket.descriptor
    (self.limits, self.certificate) = (limits, certificate)
    (self.safety, self.judges, self.proxies, self.respond) = (safety, judges, proxies, respond)
  }

  func start() throws(ServerError) {
    // Unretained: libmicrohttpd calls back only until `stop()` returns, and the server waits for
    // that.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let callbacks = unsafe sonde_mhd_callbacks(
      request: requestCame,
      completed: requestEnded,
      connection: connectionChanged,
      target: lineCame,
      unescape: keepEscapes,
      context: context
    )
    // Above the limit, the table closes a connection for each new one.
    let connections = UInt32(clamping: limits.connections + 64)
    let idle = UInt32(clamping: limits.idleTime.components.seconds)
    let number = fcntl(listener.number, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw .refused }
    unsafe withTLS { tls in
      unsafe daemon = sonde_mhd_start(
        mhd,
        number,
        connections,
        idle,
        Daemon.connectionMemory,
        callbacks,
        tls
      )
    }
    guard unsafe daemon != nil else { throw certificate == nil ? .refused : .certificate }
    socket.withLock { $0 = Descriptor(owning: number) }
  }

  /// Passes the TLS settings, which libmicrohttpd reads during its start.
  private func withTLS(_ body: (sonde_mhd_tls) -> Void) {
    guard let certificate else { return unsafe body(sonde_mhd_tls()) }
    unsafe certificate.chain.withCString { chain in
      unsafe certificate.key.withCString { key in
        unsafe TLSCertificate.priorities.withCString { priorities in
          unsafe body(sonde_mhd_tls(certificates: chain, key: key, priorities: priorities))
        }
      }
    }
  }

  /// The memory per connection in bytes, for the header and the buffers.
  private static let connectionMemory = 32 << 10

  /// Checks all connections; to be called each second.
  func sweep() {
    let now = Clocks.steady
    table.withLock { table in for connection in table.all { connection.check(limits, at: now) } }
  }

  /// Cancels what is read for clients that have left; to be called every few milliseconds.
  func notice() { for connection in connections { connection.notice() } }

  var connections: [Connection] { table.withLock { $0.all } }

  /// Makes room for a connection that has become a user's; false if the user has too many.
  func makeRoom(for connection: Connection) -> Bool {
    table.withLock { table in
      let (mayStay, closed) = table.makeRoom(for: connection, limit: limits.connectionsOfUser)
      closed?.shutDown()
      return mayStay
    }
  }

  var isUnused: Bool { table.withLock { $0.all.isEmpty } }

  // MARK: Stopping

  /// Stops accepting connections but serves the existing ones.
  func retire() { unsafe _ = mhd.pointee.MHD_quiesce_daemon(daemon) }

  /// Stops accepting connections and requests.
  func quiesce() {
    stops.store(true, ordering: .sequentiallyConsistent)
    unsafe _ = mhd.pointee.MHD_quiesce_daemon(daemon)
  }

  var exchanges: [Exchange] { table.withLock { table in table.all.compactMap { $0.exchange } } }

  /// Closes all connections, without waiting for clients or handlers, and blocks until that is done.
  func stop() {
    // libmicrohttpd aborts the process if a connection is still suspended.
    for exchange in exchanges { exchange.abandon() }
    unsafe mhd.pointee.MHD_stop_daemon(daemon)
    socket.withLock { $0 = nil }
  }

  // MARK: On libmicrohttpd's thread

  fileprivate func opened(_ pointer: OpaquePointer) -> Connection? {
    guard let name = unsafe sonde_mhd_peer(mhd, pointer), let peer = unsafe NumericAddress(name)
    else {
      return nil
    }
    let descriptor = unsafe sonde_mhd_descriptor(mhd, pointer)
    let isProxied = proxies.contains { $0.contains(peer) }
    let connection = Connection(
      id: lastID.add(1, ordering: .relaxed).newValue,
      descriptor: descriptor,
      peer: peer,
      isForeign: judges && !isProxied && !SocketOwner.isOurs(peerOf: descriptor),
      isProxied: isProxied
    )
    table.withLock { $0.add(connection, limit: limits.connections)?.shutDown() }
    return connection
  }

  fileprivate func closed(_ connection: Connection) {
    connection.closed()
    table.withLock { $0.remove(connection.id) }
  }

  /// Starts the exchange of a request with a complete header.
  fileprivate func begin(_ line: RequestLine, _ pointer: OpaquePointer) -> Exchange? {
    guard let context = unsafe sonde_mhd_socket_context(mhd, pointer) else { return nil }
    let connection = unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
    let (target, targetLength) = connection.target
    let (headers, isWhole) = unsafe headers(of: pointer, line, targetLength)
    let head = unsafe RequestHead(
      method: Method(rawValue: String(cString: line.method)),
      target: target,
      isOld: String(cString: line.version) == "HTTP/1.0",
      headers: headers,
      isWhole: isWhole,
      peer: connection.peer,
      isForeign: connection.isForeign
    )
    let handle = unsafe ConnectionHandle(mhd: mhd, pointer: pointer)
    let exchange = respond(head, connection, self, handle)
    connection.began(exchange)
    // Either the stopping thread sees the exchange, or the stop is seen here.
    if stops.load(ordering: .sequentiallyConsistent) { exchange.abandon() }
    exchange.begin()
    return exchange
  }

  fileprivate func ended(_ pointer: OpaquePointer) {
    guard let context = unsafe sonde_mhd_socket_context(mhd, pointer) else { return }
    unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().ended()
  }

  private func headers(
    of pointer: OpaquePointer,
    _ line: RequestLine,
    _ targetLength: Int
  ) -> (HeaderFields, isWhole: Bool) {
    var reader = unsafe HeaderReader(line, targetLength: targetLength)
    unsafe withUnsafeMutablePointer(to: &reader) { reader in
      _ = unsafe mhd.pointee.MHD_get_connection_values(pointer, .HEADER_KIND, headerCame, reader)
    }
    let size = unsafe sonde_mhd_header_size(mhd, pointer)
    return (reader.fields, !LibMicroHTTPD.mayCutHeaders || reader.isWhole(size: size))
  }
}

extension NumericAddress {
  fileprivate init?(_ name: UnsafePointer<sockaddr>) {
    let raw = unsafe UnsafeRawPointer(name)
    switch Int32(unsafe name.pointee.sa_family) {
    case AF_INET: self.init(unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6: self.init(unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }
}

// MARK: - Callbacks

private func daemon(_ context: UnsafeMutableRawPointer?) -> Daemon? {
  unsafe context.map { unsafe Unmanaged<Daemon>.fromOpaque($0).takeUnretainedValue() }
}

/// MHD_AccessHandlerCallback: called for the header, for each chunk of the body, at the end, and
/// after each resumption of the connection.
private func requestCame(
  _ context: UnsafeMutableRawPointer?,
  _ pointer: OpaquePointer?,
  _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?,
  _ version: UnsafePointer<CChar>?,
  _ upload: UnsafePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let daemon = unsafe daemon(context), let pointer = unsafe pointer,
    let url = unsafe url, let method = unsafe method, let version = unsafe version,
    let size = unsafe size, let state = unsafe state
  else { return .NO }
  let exchange: Exchange
  if let known = unsafe state.pointee {
    exchange = unsafe Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
  } else {
    let line = unsafe RequestLine(method: method, url: url, version: version)
    guard let new = unsafe daemon.begin(line, pointer) else { return .NO }
    exchange = new
    // Released in `requestEnded`.
    unsafe state.pointee = unsafe Unmanaged.passRetained(exchange).toOpaque()
  }
  let count = unsafe size.pointee
  let bytes = unsafe UnsafeRawBufferPointer(start: upload, count: count)
  switch unsafe exchange.advance(upload: count > 0 ? bytes : nil) {
  case .proceed(let taken):
    unsafe size.pointee = count - taken
    return .YES
  case .answer(let response): return unsafe daemon.queue(response, to: pointer)
  case .close: return .NO
  }
}

/// MHD_RequestCompletedCallback: called once per request that `requestCame` was called for.
private func requestEnded(
  _ context: UnsafeMutableRawPointer?,
  _ pointer: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _: MHD_RequestTerminationCode
) {
  guard let daemon = unsafe daemon(context), let pointer = unsafe pointer,
    let state = unsafe state, let exchange = unsafe state.pointee
  else { return }
  unsafe state.pointee = nil
  unsafe daemon.ended(pointer)
  unsafe Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().complete()
}

/// MHD_NotifyConnectionCallback: called when a connection is opened, and before its descriptor is
/// closed.
private func connectionChanged(
  _ context: UnsafeMutableRawPointer?,
  _ pointer: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ change: MHD_ConnectionNotificationCode
) {
  guard let daemon = unsafe daemon(context), let pointer = unsafe pointer, let state = unsafe state
  else { return }
  if change == .CONNECTION_NOTIFY_STARTED {
    unsafe state.pointee = daemon.opened(pointer).map {
      unsafe Unmanaged.passRetained($0).toOpaque()
    }
  } else if let connection = unsafe state.pointee {
    unsafe state.pointee = nil
    unsafe daemon.closed(Unmanaged<Connection>.fromOpaque(connection).takeRetainedValue())
  }
}

/// MHD_OPTION_URI_LOG_CALLBACK: called with a request line before libmicrohttpd modifies it.
private func lineCame(
  _ context: UnsafeMutableRawPointer?,
  _ target: UnsafePointer<CChar>,
  _ pointer: OpaquePointer
) -> UnsafeMutableRawPointer? {
  guard let daemon = unsafe daemon(context),
    let connection = unsafe sonde_mhd_socket_context(daemon.mhd, pointer)
  else { return nil }
  let (text, length) = unsafe (String(cString: target), strlen(target))
  unsafe Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().lineCame(text, length)
  return nil
}

/// MHD_OPTION_UNESCAPE_CALLBACK: does nothing, since ``Target`` decodes the target.
private func keepEscapes(
  _: UnsafeMutableRawPointer?,
  _: OpaquePointer?,
  _ text: UnsafeMutablePointer<CChar>
) -> Int {
  unsafe strlen(text)
}

/// MHD_KeyValueIterator: called for each header.
private func headerCame(
  _ headers: UnsafeMutableRawPointer?,
  _: MHD_ValueKind,
  _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let name = unsafe name else { return .YES }
  // A name without a value has an empty one at its end.
  let value = unsafe value ?? name + strlen(name)
  unsafe headers?.assumingMemoryBound(to: HeaderReader.self).pointee.append(name, value)
  return .YES
}

internal import CSondeAres
import Glibc
import SondeAddresses
import SondeSystem

/// An `ares_channel`: the pending questions to one server, over UDP or over TCP.
///
/// Thread contract: c-ares 1.18 has no locks (they came with 1.23, ares_threadsafety(3)), so one
/// thread creates, uses and frees it. A channel has one socket; TCP uses a separate channel,
/// because a socket error ends all questions of its channel.
@safe final class NameChannel {
  /// How a question ended.
  enum Outcome {
    case answer(NameAnswer)
    /// The answer cannot be parsed.
    case unreadable
    case timedOut
    /// The socket failed or could not be opened, with the error number, or zero if unknown.
    case unreachable(Int32)
    /// The name cannot be asked for.
    case refusedName
  }

  /// A finished question, by its number, with its outcome.
  typealias End = (number: Int, outcome: Outcome)

  /// The largest datagram requested from servers, to avoid fragments (DNS flag day 2020:
  /// dnsflagday.net/2020).
  private static let datagram: Int32 = 1232

  /// Finished questions that were not taken yet.
  private var ends: [End] = []

  /// The last error of a socket.
  private(set) var lastError: Int32 = 0

  private let ares: UnsafePointer<sonde_ares>
  private let handle: ares_channel
  private let tickets: UnsafeMutablePointer<Ticket>
  private let capacity: Int

  /// The context of a question for c-ares's callback.
  @safe fileprivate struct Ticket {
    /// The channel, which outlives its questions.
    let channel: Unmanaged<NameChannel>
    let number: Int
    var type: RecordType
  }

  /// Creates a channel, whose socket is opened by the first question; `timeout` is for the first of
  /// `tries`, each has twice the limit of the last, and questions have numbers below `capacity`.
  init(
    to server: NameServer,
    overTCP isStream: Bool = false,
    timeout: Duration,
    tries: Int32 = 1,
    capacity: Int
  ) throws(NameError) {
    unsafe ares = try LibCAres.functions()
    var options = unsafe ares_options()
    // All answers are returned, with any code and truncated ones unchanged, and judged here.
    unsafe options.flags =
      ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES
      | (isStream ? ARES_FLAG_USEVC | ARES_FLAG_STAYOPEN : ARES_FLAG_EDNS | ARES_FLAG_IGNTC)
    unsafe options.timeout = timeout.wholeMilliseconds
    unsafe (options.tries, options.ednspsz) = (tries, Self.datagram)
    let mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ
    unsafe handle = try Self.open(ares, &options, mask)
    unsafe tickets = .allocate(capacity: capacity)
    self.capacity = capacity
    for number in 0..<capacity {
      let ticket = unsafe Ticket(channel: .passUnretained(self), number: number, type: .pointer)
      unsafe tickets.advanced(by: number).initialize(to: ticket)
    }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ares.pointee.ares_set_socket_functions(handle, ChannelSockets.functions, context)
    guard unsafe ares.pointee.ares_set_servers_ports_csv(handle, "\(server)") == sonde_ares_success
    else {
      throw NameError("c-ares does not take \(server) for a server")
    }
  }

  deinit {
    // It ends the pending questions, which are no longer needed.
    unsafe ares.pointee.ares_destroy(handle)
    unsafe tickets.deallocate()
  }

  private static func open(
    _ ares: UnsafePointer<sonde_ares>,
    _ options: inout ares_options,
    _ mask: Int32
  ) throws(NameError) -> ares_channel {
    var handle: ares_channel?
    let code = unsafe ares.pointee.ares_init_options(&handle, &options, mask)
    guard code == sonde_ares_success, let handle = unsafe handle else {
      let words = unsafe ares.pointee.ares_strerror(code).map { unsafe String(cString: $0) }
      throw NameError("c-ares: \(words ?? "error \(code)")")
    }
    return unsafe handle
  }

  /// The servers in the system's current configuration (resolv.conf(5)); without any, the machine
  /// itself.
  static func systemServers() throws(NameError) -> [NameServer] {
    let ares = unsafe try LibCAres.functions()
    var options = unsafe ares_options()
    let handle = unsafe try open(ares, &options, 0)
    defer { unsafe ares.pointee.ares_destroy(handle) }
    var first: UnsafeMutablePointer<ares_addr_port_node>?
    guard unsafe ares.pointee.ares_get_servers_ports(handle, &first) == sonde_ares_success else {
      throw NameError("c-ares does not tell the system's servers")
    }
    defer { unsafe ares.pointee.ares_free_data(first) }
    var servers: [NameServer] = []
    var node = unsafe first
    while let server = unsafe node {
      unsafe servers.append(NameServer(server.pointee))
      unsafe node = server.pointee.next
    }
    guard !servers.isEmpty else { throw NameError("the system names no server of names") }
    return servers
  }
}

extension NameServer {
  fileprivate init(_ node: ares_addr_port_node) {
    var node = unsafe node
    let count = unsafe node.family == AF_INET ? 4 : 16
    let bytes = unsafe withUnsafeBytes(of: &node.addr) { unsafe Array($0.prefix(count)) }
    let port = unsafe UInt16(truncatingIfNeeded: node.udp_port)
    self.init(
      address: Address(bytes: bytes) ?? Address(high: 0, low: 1),
      port: port > 0 ? port : 53
    )
  }
}

// MARK: - Asking

extension NameChannel {
  /// Sends a question, whose end is in ``takeEnds()``, possibly at once; no pending question has
  /// its number.
  func ask(_ name: [CChar], _ type: RecordType, number: Int) {
    precondition(number < capacity, "a question has a number of its own")
    unsafe tickets[number].type = type
    let internet: Int32 = 1
    unsafe ares.pointee.ares_query(
      handle,
      name,
      internet,
      Int32(type.rawValue),
      takeEnd,
      tickets + number
    )
  }

  /// Removes and returns the finished questions.
  ///
  /// They are not handled in c-ares's callbacks, during which its lists are in use.
  func takeEnds() -> [End] {
    defer { ends = [] }
    return ends
  }

  /// The events to poll for; with a negative descriptor if there is no socket.
  var interest: pollfd {
    var socket: ares_socket_t = -1
    let bits = unsafe ares.pointee.ares_getsock(handle, &socket, 1)
    let events = (bits & 1 != 0 ? POLLIN : 0) | (bits >> ARES_GETSOCK_MAXNUM & 1 != 0 ? POLLOUT : 0)
    return pollfd(fd: bits == 0 ? -1 : socket, events: Int16(events), revents: 0)
  }

  /// Reads and writes without waiting, as poll(2) permits, and ends questions that have timed out.
  func advance(_ ready: pollfd) {
    let isReadable = Int32(ready.revents) & (POLLIN | POLLERR | POLLHUP) != 0
    let isWritable = Int32(ready.revents) & POLLOUT != 0
    unsafe ares.pointee.ares_process_fd(
      handle,
      isReadable ? ready.fd : -1,
      isWritable ? ready.fd : -1
    )
  }

  /// The time until the next time-out, at most a minute.
  ///
  /// c-ares iterates over all pending questions for this.
  var timeLeft: Duration {
    var (most, buffer) = (timeval(tv_sec: 60, tv_usec: 0), timeval())
    guard let left = unsafe ares.pointee.ares_timeout(handle, &most, &buffer) else {
      return .seconds(60)
    }
    return unsafe .seconds(left.pointee.tv_sec) + .microseconds(left.pointee.tv_usec)
  }

  fileprivate func end(_ ticket: Ticket, _ status: Int32, _ message: UnsafeBufferPointer<UInt8>) {
    ends.append((ticket.number, unsafe outcome(status, message, ticket.type)))
  }

  private func outcome(
    _ status: Int32,
    _ message: UnsafeBufferPointer<UInt8>,
    _ type: RecordType
  ) -> Outcome {
    if message.count > 0 {
      return unsafe NameAnswer(message.span, to: type).map { .answer($0) } ?? .unreadable
    }
    switch status {
    // In Debian 13's c-ares, a datagram that cannot be parsed ends all questions of the socket: to
    // each that was not its own it is a lost one.
    case sonde_ares_timed_out, sonde_ares_bad_answer: return .timedOut
    // Invalid names (RFC 1035 §2.3.4), and names that must not be asked for (`.onion`, RFC 7686
    // §2).
    case sonde_ares_bad_name, sonde_ares_not_found: return .refusedName
    default: return .unreachable(lastError)
    }
  }

  /// Records the result of a system call, and its error number if it failed.
  func note<Number: SignedInteger>(_ result: Number) -> Number {
    if result < 0, errno != EAGAIN, errno != EINPROGRESS { lastError = errno }
    return result
  }
}

/// c-ares's callback at the end of a question (ares_query(3)).
private func takeEnd(
  _ ticket: UnsafeMutableRawPointer?,
  _ status: Int32,
  _ timeouts: Int32,
  _ message: UnsafeMutablePointer<UInt8>?,
  _ count: Int32
) {
  // The channel is being destroyed.
  guard status != sonde_ares_destroyed, let ticket = unsafe ticket else { return }
  let note = unsafe ticket.assumingMemoryBound(to: NameChannel.Ticket.self).pointee
  let bytes = unsafe UnsafeBufferPointer(start: message, count: message == nil ? 0 : Int(count))
  unsafe note.channel.takeUnretainedValue().end(note, status, bytes)
}

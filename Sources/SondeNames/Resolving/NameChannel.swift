internal import CSondeAres
import Glibc
import SondeAddresses
import SondeSystem

/// An `ares_channel`: the questions that are under way to one server, over UDP or over TCP.
///
/// Thread contract: c-ares 1.18 has no locks (they came with 1.23, ares_threadsafety(3)), so that one
/// thread makes, uses and frees it. A channel has one socket; that of TCP has a channel of its own,
/// because an error of a socket ends all questions of its channel.
@safe final class NameChannel {
  /// How a question ended.
  enum Outcome {
    case answer(Answer)
    /// A message came that cannot be read.
    case unreadable
    case timedOut
    /// The socket failed, or none could be had; the number of the error, zero where it is not known.
    case unreachable(Int32)
    /// No question can be made of the name.
    case refusedName
  }

  /// A question that has ended: its number and how.
  typealias End = (number: Int, outcome: Outcome)

  /// The most that a server may put into a datagram, so that none is cut into fragments (DNS flag day
  /// 2020: dnsflagday.net/2020).
  private static let datagram: Int32 = 1232

  /// The questions that have ended and were not taken yet.
  private var ends: [End] = []

  /// The last error of a socket.
  private(set) var lastError: Int32 = 0

  private let ares: UnsafePointer<sonde_ares>
  private let handle: ares_channel
  private let tickets: UnsafeMutablePointer<Ticket>
  private let capacity: Int

  /// What c-ares keeps of a question for its callback.
  @safe fileprivate struct Ticket {
    /// Which outlives its questions.
    let channel: Unmanaged<NameChannel>
    let number: Int
    var type: RecordType
  }

  /// Makes a channel, which opens its socket at the first question.
  ///
  /// - Parameters:
  ///   - server: Who is asked.
  ///   - isStream: Whether over TCP.
  ///   - timeout: How long an answer is waited for, at the first try.
  ///   - tries: How often a question is sent, each time with twice the time-out of the last.
  ///   - capacity: Questions have numbers below this, each one question at a time.
  /// - Throws: ``NameError`` where c-ares cannot be loaded or is out of memory.
  init(
    to server: NameServer,
    overTCP isStream: Bool = false,
    timeout: Duration,
    tries: Int32 = 1,
    capacity: Int
  ) throws(NameError) {
    unsafe ares = try LibCAres.functions()
    var options = unsafe ares_options()
    // Every answer is told, whatever its code, and a cut one as it is: each is judged here.
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
    guard unsafe ares.pointee.ares_set_servers_ports_csv(handle, "\(server)") == ARES_SUCCESS else {
      throw NameError("c-ares does not take \(server) for a server")
    }
  }

  deinit {
    // It ends the questions under way, which nobody waits for any more.
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
    guard code == ARES_SUCCESS, let handle = unsafe handle else {
      let words = unsafe ares.pointee.ares_strerror(code).map { unsafe String(cString: $0) }
      throw NameError("c-ares: \(words ?? "error \(code)")")
    }
    return unsafe handle
  }

  /// The servers of the system's configuration, read anew (resolv.conf(5)); without any, the machine
  /// itself.
  ///
  /// - Throws: ``NameError`` where c-ares cannot be loaded or is out of memory.
  static func systemServers() throws(NameError) -> [NameServer] {
    let ares = unsafe try LibCAres.functions()
    var options = unsafe ares_options()
    let handle = unsafe try open(ares, &options, 0)
    defer { unsafe ares.pointee.ares_destroy(handle) }
    var first: UnsafeMutablePointer<ares_addr_port_node>?
    guard unsafe ares.pointee.ares_get_servers_ports(handle, &first) == ARES_SUCCESS else {
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
  /// Asks a question; it ends in ``takeEnds()``, maybe at once.
  ///
  /// - Parameters:
  ///   - name: The name, as a text of C.
  ///   - type: What is asked for.
  ///   - number: Its number, which no question under way has.
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

  /// The questions that have ended since the last time.
  ///
  /// They are judged then, and not in c-ares's callbacks: it is amid its lists there.
  func takeEnds() -> [End] {
    defer { ends = [] }
    return ends
  }

  /// What its socket waits for; a negative descriptor where there is none.
  var interest: pollfd {
    var socket: ares_socket_t = -1
    let bits = unsafe ares.pointee.ares_getsock(handle, &socket, 1)
    let events = (bits & 1 != 0 ? POLLIN : 0) | (bits >> ARES_GETSOCK_MAXNUM & 1 != 0 ? POLLOUT : 0)
    return pollfd(fd: bits == 0 ? -1 : socket, events: Int16(events), revents: 0)
  }

  /// Reads and writes what it can without waiting, and ends what has taken too long.
  ///
  /// - Parameter ready: What poll(2) made of ``interest``.
  func advance(_ ready: pollfd) {
    let isReadable = Int32(ready.revents) & (POLLIN | POLLERR | POLLHUP) != 0
    let isWritable = Int32(ready.revents) & POLLOUT != 0
    unsafe ares.pointee.ares_process_fd(
      handle,
      isReadable ? ready.fd : -1,
      isWritable ? ready.fd : -1
    )
  }

  /// How long until a question has taken too long, at most a minute.
  ///
  /// c-ares goes through all that are under way to tell.
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
      return unsafe Answer(message.span, to: type).map { .answer($0) } ?? .unreadable
    }
    switch status {
    case ARES_ETIMEOUT: return .timedOut
    // What is no domain name (RFC 1035 §2.3.4), and what is not to be asked for (`.onion`, RFC 7686 §2).
    case ARES_EBADNAME, ARES_ENOTFOUND: return .refusedName
    default: return .unreachable(lastError)
    }
  }

  /// Notes what a call to the system returned, and why it failed if it did.
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
  // The channel is going.
  guard status != ARES_EDESTRUCTION, let ticket = unsafe ticket else { return }
  let note = unsafe ticket.assumingMemoryBound(to: NameChannel.Ticket.self).pointee
  let bytes = unsafe UnsafeBufferPointer(start: message, count: message == nil ? 0 : Int(count))
  unsafe note.channel.takeUnretainedValue().end(note, status, bytes)
}

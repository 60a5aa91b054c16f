import CSondeHiredis
import Glibc
import SondeSystem
import Synchronization

/// One connection to a server, by hiredis.
///
/// It has one owner, and may be used by one thread at a time. No call exceeds the time limit,
/// except for name resolution when connecting.
@safe public final class RedisConnection {
  private let functions: UnsafePointer<sonde_redis>
  private let context: UnsafeMutablePointer<redisContext>
  private let limit: Duration
  /// The number of elements that lists in the answers may still have.
  private let elements: UnsafeMutablePointer<Int>
  /// The socket while it is open, for interrupting a call.
  private let socket: SocketNumber

  private final class SocketNumber: Sendable {
    let number: Mutex<Int32?>
    init(_ number: Int32) { self.number = Mutex(number) }
  }

  /// Ensures that connections are possible; fails if hiredis cannot be loaded.
  public static func loadLibrary() throws(RedisError) { _ = unsafe try LibHiredis.functions() }

  /// Connects without logging in or selecting a database, with a time limit for this and each call.
  public init(to place: RedisPlace, limit: Duration) throws(RedisError) {
    let functions = unsafe try LibHiredis.functions()
    let replies = unsafe try ReplyBudget.functions()
    let time = timeval(limit)
    let elements = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe elements.initialize(to: 0)
    let made: UnsafeMutablePointer<redisContext>? =
      switch place.socket {
      case .tcp(let host, let port):
        unsafe functions.pointee.redisConnectWithTimeout(host, Int32(port), time)
      case .unix(let path): unsafe functions.pointee.redisConnectUnixWithTimeout(path, time)
      }
    guard let context = unsafe made else {
      unsafe elements.deallocate()
      throw RedisError(.unusable, "memory is short")
    }
    unsafe (self.functions, self.context, self.limit) = (functions, context, limit)
    unsafe self.elements = elements
    socket = unsafe SocketNumber(context.pointee.fd)
    guard unsafe context.pointee.err == 0,
      unsafe functions.pointee.redisSetTimeout(context, time) == REDIS_OK
    else { throw error }
    unsafe context.pointee.reader.pointee.fn = replies
    unsafe context.pointee.reader.pointee.privdata = UnsafeMutableRawPointer(elements)
  }

  deinit {
    socket.number.withLock { $0 = nil }
    unsafe functions.pointee.redisFree(context)
    unsafe elements.deallocate()
  }

  /// Ends the connection, from any thread; a running call throws at once.
  public var interrupt: @Sendable () -> Void {
    { [socket] in
      // Under the lock, so that the number has not been reused.
      socket.number.withLock { number in
        if let number { shutdown(number, Int32(SHUT_RDWR)) }
      }
    }
  }

  /// Sends commands, each a list of words, together, and returns all answers in order.
  ///
  /// After an error, the connection is unusable. If the server closed it after an error reply, that
  /// is the reason.
  public func send(_ commands: [[[UInt8]]]) throws(RedisError) -> [RedisReply] {
    let deadline = ContinuousClock.now + limit
    for words in commands { try append(words) }
    var isWritten: Int32 = 0
    while isWritten == 0 {
      try check(unsafe functions.pointee.redisBufferWrite(context, &isWritten), by: deadline)
    }
    var replies: [RedisReply] = []
    replies.reserveCapacity(commands.count)
    var room = ReplyBudget.mostBytes
    unsafe elements.pointee = ReplyBudget.mostElements
    while replies.count < commands.count {
      do throws(RedisError) {
        replies.append(try next(by: deadline, within: &room))
      } catch {
        throw error.kind == .ended ? replies.lazy.compactMap(\.refusal).first ?? error : error
      }
    }
    return replies
  }

  private func append(_ words: [[UInt8]]) throws(RedisError) {
    // Concatenated, so that one pointer leads to all of them.
    let bytes = Array(words.joined())
    var lengths = words.map(\.count)
    var position = 0
    let code = unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for length in lengths {
        unsafe pointers.append(
          start.map { unsafe ($0 + position).assumingMemoryBound(to: CChar.self) }
        )
        position += length
      }
      return unsafe functions.pointee.redisAppendCommandArgv(
        context,
        Int32(words.count),
        &pointers,
        &lengths
      )
    }
    guard code == REDIS_OK else { throw error }
  }

  /// Reads the next answer, which must arrive by `deadline`, and reduces `room` by its bytes.
  private func next(
    by deadline: ContinuousClock.Instant,
    within room: inout Int
  ) throws(RedisError) -> RedisReply {
    while true {
      var reply: UnsafeMutableRawPointer?
      try check(unsafe functions.pointee.redisGetReplyFromReader(context, &reply))
      if let reply = unsafe reply {
        defer { unsafe functions.pointee.freeReplyObject(reply) }
        return unsafe RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
      }
      let known = unsafe context.pointee.reader.pointee.len
      try check(unsafe functions.pointee.redisBufferRead(context), by: deadline)
      room -= unsafe context.pointee.reader.pointee.len - known
      guard room >= 0 else { throw RedisError(.unintelligible, ReplyBudget.words) }
    }
  }

  private func check(_ code: Int32, by deadline: ContinuousClock.Instant? = nil) throws(RedisError)
  {
    guard code == REDIS_OK else { throw error }
    // Otherwise a server that sends single bytes could delay it forever.
    if let deadline, .now > deadline { throw silence }
  }

  private var silence: RedisError {
    RedisError(.unreachable, "Redis did not answer within \(limit.wholeMilliseconds) ms")
  }

  /// The error of hiredis's last call.
  private var error: RedisError {
    let code = errno
    let words = unsafe withUnsafeBytes(of: context.pointee.errstr) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    switch unsafe context.pointee.err {
    case REDIS_ERR_EOF: return RedisError(.ended, "Redis closed the connection")
    case REDIS_ERR_PROTOCOL: return RedisError(.unintelligible, "no Redis answers there: \(words)")
    case REDIS_ERR_OOM: return RedisError(.unintelligible, ReplyBudget.words)
    case REDIS_ERR_IO where code == EAGAIN: return silence
    case REDIS_ERR_IO where code == ECONNRESET || code == EPIPE: return RedisError(.ended, words)
    default: return RedisError(.unreachable, words)
    }
  }
}

extension timeval {
  fileprivate init(_ time: Duration) {
    let milliseconds = Int(time.wholeMilliseconds)
    self.init(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
  }
}

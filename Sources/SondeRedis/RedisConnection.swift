import CSondeHiredis
import SondeSystem

/// One connection to a server: RESP, read by hiredis, over a socket with or without TLS.
///
/// It has one owner, and may be used by one thread at a time. No call exceeds the time limit,
/// except for name resolution when connecting.
@safe public final class RedisConnection {
  private let functions: UnsafePointer<sonde_redis>
  private let reader: UnsafeMutablePointer<redisReader>
  private let limit: Duration
  /// The number of elements that lists in the answers may still have.
  private let elements: UnsafeMutablePointer<Int>
  private let socket: RedisSocket
  private let tls: RedisTLS?

  /// The server that it leads to.
  public let place: RedisPlace.Socket

  /// Ensures that connections are possible; fails if hiredis, or libssl for TLS, cannot be loaded.
  public static func loadLibraries(for place: RedisPlace) throws(RedisError) {
    _ = unsafe try LibHiredis.functions()
    if place.tls != nil { _ = unsafe try LibSSL.functions() }
  }

  /// Connects without logging in or selecting a database, with a time limit for this and each call;
  /// with TLS if there are files for it.
  public init(
    to place: RedisPlace.Socket,
    tls files: RedisPlace.TLSFiles?,
    trusting trust: RedisTrust,
    limit: Duration
  ) throws(RedisError) {
    let functions = unsafe try LibHiredis.functions()
    let replies = unsafe try ReplyBudget.functions()
    let deadline = ContinuousClock.now + limit
    let socket = try RedisSocket(to: place, by: deadline)
    if let files, case .tcp(let host, _) = place {
      tls = try RedisTLS(over: socket, with: host, files, trusting: trust, by: deadline)
    } else {
      tls = nil
    }
    guard let reader = unsafe functions.pointee.redisReaderCreateWithFunctions(replies) else {
      throw RedisError(.unusable, "memory is short")
    }
    let elements = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe elements.initialize(to: 0)
    unsafe reader.pointee.privdata = UnsafeMutableRawPointer(elements)
    unsafe (self.functions, self.reader, self.elements) = (functions, reader, elements)
    (self.limit, self.socket, self.place) = (limit, socket, place)
  }

  deinit {
    unsafe functions.pointee.redisReaderFree(reader)
    unsafe elements.deallocate()
  }

  /// Ends the connection, from any thread; a running call throws at once.
  public var interrupt: @Sendable () -> Void { socket.interrupt }

  /// Sends commands, each a list of words, together, and returns all answers in order.
  ///
  /// After an error, the connection is unusable. If the server closed it after an error reply, that
  /// is the reason.
  public func send(_ commands: [[[UInt8]]]) throws(RedisError) -> [RedisReply] {
    let deadline = ContinuousClock.now + limit
    do throws(RedisError) {
      guard try write(Self.encoded(commands), by: deadline) else { throw silence }
    } catch {
      // The server may have given its reason before it closed the connection.
      guard error.kind == .ended else { throw error }
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

  /// The commands as arrays of bulk strings (RESP, "Sending commands to a Redis server").
  private static func encoded(_ commands: [[[UInt8]]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for words in commands {
      bytes += Array("*\(words.count)\r\n".utf8)
      for word in words { bytes += Array("$\(word.count)\r\n".utf8) + word + [13, 10] }
    }
    return bytes
  }

  private func write(_ bytes: [UInt8], by deadline: ContinuousClock.Instant) throws(RedisError)
    -> Bool
  {
    if let tls { return try tls.write(bytes, by: deadline) }
    return try socket.write(bytes, by: deadline)
  }

  /// Reads the next answer, which must arrive by `deadline`, and reduces `room` by its bytes.
  private func next(
    by deadline: ContinuousClock.Instant,
    within room: inout Int
  ) throws(RedisError) -> RedisReply {
    while true {
      var reply: UnsafeMutableRawPointer?
      guard unsafe functions.pointee.redisReaderGetReply(reader, &reply) == REDIS_OK else {
        throw error
      }
      if let reply = unsafe reply {
        defer { unsafe functions.pointee.freeReplyObject(reply) }
        return unsafe RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
      }
      // Otherwise a server that sends single bytes could delay it forever.
      guard .now <= deadline, let bytes = try read(by: deadline) else { throw silence }
      guard !bytes.isEmpty else { throw .closed }
      room -= bytes.count
      guard room >= 0 else { throw RedisError(.unintelligible, ReplyBudget.words) }
      let code = unsafe bytes.withUnsafeBytes { bytes in
        unsafe functions.pointee.redisReaderFeed(
          reader,
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          bytes.count
        )
      }
      guard code == REDIS_OK else { throw error }
    }
  }

  private func read(by deadline: ContinuousClock.Instant) throws(RedisError) -> [UInt8]? {
    if let tls { return try tls.read(by: deadline) }
    return try socket.read(by: deadline)
  }

  private var silence: RedisError {
    RedisError(.unreachable, "Redis did not answer within \(limit.wholeMilliseconds) ms")
  }

  /// The error of hiredis's last call.
  private var error: RedisError {
    let words = unsafe withUnsafeBytes(of: reader.pointee.errstr) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return unsafe reader.pointee.err == REDIS_ERR_OOM
      ? RedisError(.unintelligible, ReplyBudget.words)
      : RedisError(.unintelligible, "no Redis answers there: \(words)")
  }
}

extension RedisError {
  /// The server closed the connection.
  static var closed: RedisError { RedisError(.ended, "Redis closed the connection") }
}

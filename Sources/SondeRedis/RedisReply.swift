import CSondeHiredis

/// A server's answer to one command.
public enum RedisReply: Sendable, Equatable {
  /// There is no such value.
  case nothing
  case number(Int64)
  /// Arbitrary bytes.
  case bytes([UInt8])
  case list([RedisReply])
  /// The server's error message.
  case error(String)

  /// The bytes; `nil` for any other answer.
  public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The number; `nil` for any other answer.
  public var number: Int64? { if case .number(let number) = self { number } else { nil } }

  /// The answers in it; `nil` for any other answer.
  public var list: [RedisReply]? { if case .list(let list) = self { list } else { nil } }

  /// The bytes as text; `nil` for any other answer.
  public var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// The error; `nil` for any other answer.
  public var refusal: RedisError? {
    if case .error(let words) = self { RedisError(refusal: words) } else { nil }
  }

  /// Copies hiredis's reply, whose nesting depth it limits.
  init(_ reply: redisReply) {
    switch unsafe reply.type {
    case REDIS_REPLY_INTEGER: self = unsafe .number(reply.integer)
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = unsafe .bytes(Self.bytes(of: reply))
    case REDIS_REPLY_ERROR:
      self = unsafe .error(String(decoding: Self.bytes(of: reply), as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      var list: [RedisReply] = []
      for index in unsafe 0..<reply.elements {
        guard let element = unsafe reply.element?[index] else { continue }
        unsafe list.append(RedisReply(element.pointee))
      }
      self = .list(list)
    default: self = .nothing
    }
  }

  private static func bytes(of reply: redisReply) -> [UInt8] {
    guard let text = unsafe reply.str else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: reply.len))
  }
}

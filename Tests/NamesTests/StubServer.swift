import Glibc
import Synchronization
import SondeSystem
import TestSupport

@testable import SondeNames

/// A server of names on 127.0.0.1 whose answers a test gives, over UDP and TCP, until the tests end.
final class StubServer: Sendable {
  /// What was asked: the name without the root's dot, the type, and whether over TCP.
  struct Question: Sendable, Hashable {
    let name: String
    let type: RecordType
    let isStream: Bool
  }

  /// The messages to send, which get the id and the question that were asked.
  typealias Reply = @Sendable (Question) -> [Message]

  let port: UInt16
  private let reply: Reply
  private let datagrams: Int32
  private let listener: Int32
  private let asked = Mutex<[Question]>([])

  /// What was asked so far.
  var questions: [Question] { asked.withLock { $0 } }

  /// Where it listens.
  var place: ResolverPlace { ResolverPlace("127.0.0.1:\(port)") ?? .system }

  init(_ reply: @escaping Reply) throws {
    self.reply = reply
    (listener, port) = try Self.open(SOCK_STREAM, port: 0)
    (datagrams, _) = try Self.open(SOCK_DGRAM, port: port)
    try Thread { self.answerDatagrams() }.detach()
    try Thread { self.answerConnections() }.detach()
  }

  private static func open(_ type: __socket_type, port: UInt16) throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, length) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound, type == SOCK_DGRAM || listen(descriptor, 64) == 0 else { throw SystemError() }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private func answerDatagrams() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      var from = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      unsafe withUnsafeMutablePointer(to: &from) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          let count = unsafe recvfrom(datagrams, &bytes, bytes.count, 0, pointer, &length)
          guard count > 0 else { return }
          for answer in answers(to: Array(bytes[..<count]), isStream: false) {
            _ = unsafe sendto(datagrams, answer, answer.count, 0, pointer, length)
          }
        }
      }
    }
  }

  private func answerConnections() {
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while case let count = unsafe recv(connection, &bytes, bytes.count, 0), count > 2 {
        for answer in answers(to: Array(bytes[2..<count]), isStream: true) {
          let framed = Message.number(UInt16(answer.count)) + answer
          _ = unsafe send(connection, framed, framed.count, Int32(MSG_NOSIGNAL))
        }
      }
      close(connection)
    }
  }

  private func answers(to bytes: [UInt8], isStream: Bool) -> [[UInt8]] {
    let span = bytes.span
    guard let end = span.endOfName(at: 12), let name = DomainName(span, at: 12),
      let type = span.number16(at: end).flatMap({ RecordType(rawValue: $0) })
    else { return [] }
    let question = Question(name: name.text, type: type, isStream: isStream)
    asked.withLock { $0.append(question) }
    return reply(question).map { message in
      var message = message
      if message.id == 7 { message.id = span.number16(at: 0) ?? 0 }
      if message.question == Message().question { message.question = name.wire }
      message.type = type
      return message.bytes
    }
  }
}

import Foundation
import Glibc
import Synchronization

/// A server on 127.0.0.1 whose handler sees the raw connection, so that it can misbehave at will.
///
/// It listens until the tests end: a test's last mention of it may come before its last request.
final class LoopbackServer: Sendable {
  let port: Int
  private let listener: Int32
  private let accepted = Mutex(0)

  /// Starts to listen; each connection gets a thread that calls `handler` and then closes.
  ///
  /// With a backlog of zero and no handler, one connection fits in and the next hang in connecting.
  init(backlog: Int32 = 1024, handler: (@Sendable (ServerConnection) -> Void)?) throws {
    (listener, port) = try LoopbackServer.listen(backlog: backlog)
    guard let handler else { return }
    Thread.detachNewThread { [self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { break }
        accepted.withLock { $0 += 1 }
        Thread.detachNewThread {
          handler(ServerConnection(descriptor: descriptor))
          close(descriptor)
        }
      }
    }
  }

  /// Starts a server that answers every request, as often as a connection asks.
  static func answering(
    _ answer: @escaping @Sendable (ServerRequest) -> String
  ) throws -> LoopbackServer {
    try LoopbackServer { connection in
      while let request = connection.readRequest() { connection.write(answer(request)) }
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// How many connections came so far.
  var connectionCount: Int { accepted.withLock { $0 } }

  /// A port on which nobody listens.
  static func unusedPort() throws -> Int {
    let (descriptor, port) = try listen(backlog: 1)
    close(descriptor)
    return port
  }

  private static func listen(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopbackAddress(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(descriptor, pointer, length) == 0 else { return false }
        guard Glibc.listen(descriptor, backlog) == 0 else { return false }
        return unsafe getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Begins a connection that nobody will accept; returns its descriptor.
  static func connectWithoutWaiting(port: Int) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    var address = loopbackAddress(port: port)
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return descriptor
  }

  private static func loopbackAddress(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

/// What a client asked.
struct ServerRequest: Sendable {
  let method: String
  let target: String
  /// By lower-case name.
  let headers: [String: String]
  let body: [UInt8]
}

/// One accepted connection, read and written by its own thread.
final class ServerConnection {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The next request; `nil` once the client is gone.
  func readRequest() -> ServerRequest? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = buffer.firstRange(of: end) {
        let head = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
        buffer.removeSubrange(..<range.upperBound)
        return readBody(head)
      }
      guard readMore() else { return nil }
    }
  }

  private func readBody(_ head: String) -> ServerRequest? {
    let lines = head.split(separator: "\r\n")
    let words = lines[0].split(separator: " ").map(String.init)
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    while buffer.count < length { guard readMore() else { return nil } }
    defer { buffer.removeFirst(length) }
    return ServerRequest(
      method: words[0],
      target: words[1],
      headers: headers,
      body: Array(buffer.prefix(length))
    )
  }

  private func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    buffer += chunk.prefix(count)
    return true
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { chunk in
        unsafe send(descriptor, chunk.baseAddress, chunk.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Says nothing until the client gives up.
  func waitForClose() { while readMore() {} }

  /// Ends the connection with a reset instead of an orderly close.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_LINGER,
      &option,
      socklen_t(MemoryLayout<linger>.size)
    )
  }
}

/// A complete answer with its length.
func answer(_ body: String, status: String = "200 OK", headers: [String] = []) -> String {
  (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers + ["", body])
    .joined(separator: "\r\n")
}

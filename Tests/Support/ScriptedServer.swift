import Foundation
import Glibc
import Synchronization

/// An HTTP server on 127.0.0.1 whose answers a test gives.
public final class ScriptedServer: Sendable {
  /// What was asked.
  public struct Question: Sendable {
    /// The path and the query.
    public let path: String
    /// What was sent.
    public let body: String

    /// The addresses of a batch, or the one in the path.
    public var addresses: [String] {
      if body.isEmpty {
        return path.split(separator: "?")[0].split(separator: "/").suffix(1).map(String.init)
      }
      return body.split { "[],\"".contains($0) }.map(String.init)
    }
  }

  /// What to answer; `nil` says nothing until the client is gone, status 0 ends the connection.
  public struct Reply: Sendable {
    /// The status of HTTP.
    public var status: Int
    /// Whole lines of the header.
    public var headers: [String]
    /// What is answered.
    public var body: String

    /// Makes a reply.
    public init(status: Int = 200, headers: [String] = [], body: String = "") {
      (self.status, self.headers, self.body) = (status, headers, body)
    }
  }

  /// Where it listens.
  public let port: Int
  private let listener: Int32
  private let asked = Mutex<[Question]>([])

  /// What was asked so far.
  public var questions: [Question] { asked.withLock { $0 } }

  /// Its beginning of every address.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Starts to listen, until the tests end; `answer` gets each question with its number from 0.
  public init(_ answer: @escaping @Sendable (Question, Int) -> Reply?) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(descriptor, pointer, length) == 0, listen(descriptor, 64) == 0 else {
          return false
        }
        return unsafe getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        Thread.detachNewThread { [self] in
          serve(connection, answer)
          close(connection)
        }
      }
    }
  }

  private func serve(_ connection: Int32, _ answer: (Question, Int) -> Reply?) {
    var buffer: [UInt8] = []
    while let question = read(from: connection, &buffer) {
      let number = asked.withLock { asked in
        asked.append(question)
        return asked.count - 1
      }
      guard let reply = answer(question, number) else {
        while receive(from: connection, &buffer) {}
        return
      }
      if reply.status == 0 { return }
      let head = ["HTTP/1.1 \(reply.status) X", "Content-Length: \(reply.body.utf8.count)"]
      let text = (head + reply.headers + ["", reply.body]).joined(separator: "\r\n")
      let bytes = Array(text.utf8)
      guard unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
    }
  }

  private func read(from connection: Int32, _ buffer: inout [UInt8]) -> Question? {
    while true {
      if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let field = lines.first { $0.lowercased().hasPrefix("content-length:") }
        let count = field.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
        if buffer.count >= end.upperBound + count {
          let body = String(
            decoding: buffer[end.upperBound..<end.upperBound + count],
            as: UTF8.self
          )
          buffer.removeFirst(end.upperBound + count)
          return Question(path: String(lines[0].split(separator: " ")[1]), body: body)
        }
      }
      guard receive(from: connection, &buffer) else { return nil }
    }
  }

  private func receive(from connection: Int32, _ buffer: inout [UInt8]) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(connection, &chunk, chunk.count, 0)
    buffer += chunk.prefix(max(0, count))
    return count > 0
  }
}

extension ScriptedServer.Reply {
  /// What ip-api answers for these addresses, with so many requests left.
  public static func ipAPI(_ addresses: [String], single: Bool = false, left: Int = 40) -> Self {
    let entries = addresses.map { #"{"status":"success","countryCode":"US","query":"\#($0)"}"# }
    let body = single ? entries[0] : "[\(entries.joined(separator: ","))]"
    return Self(headers: ["X-Rl: \(left)", "X-Ttl: 60"], body: body)
  }
}

import Glibc
import SondeSystem

/// A client that sends exactly what it is told, and reads what comes.
final class RawClient: Sendable {
  private let socket: Descriptor

  init(port: Int) throws {
    socket = Descriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe connect(socket.number, name, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw SystemError() }
    var time = timeval(tv_sec: 20, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &time, size)
  }

  /// Sends bytes; those that nobody takes any more are dropped.
  func send(_ text: String) async { await blocking { self.sendNow(Array(text.utf8)) } }

  private func sendNow(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Says that no more is sent.
  func finish() { _ = shutdown(socket.number, Int32(SHUT_WR)) }

  /// What comes next; empty at the end, or after 20 seconds.
  func receive() async -> [UInt8] { await blocking { self.receiveNow() } }

  private func receiveNow() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe recv(socket.number, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : []
  }

  /// All that comes until a text has come or the connection is closed.
  func receive(until end: String) async -> String {
    var text = ""
    while !text.contains(end) {
      let bytes = await receive()
      if bytes.isEmpty { break }
      text += String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  /// All that comes until the connection is closed.
  func receiveAll() async -> String {
    var bytes: [UInt8] = []
    while true {
      let more = await receive()
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }
}

/// Runs what blocks on a thread of its own: those of the shared pool are the server's.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    guard let thread = try? Thread({ continuation.resume(returning: body()) }) else {
      return continuation.resume(returning: body())
    }
    thread.detach()
  }
}

/// An answer as it was sent.
struct RawAnswer {
  let status: Int
  let headers: [String: String]
  let body: String

  init(_ text: String) {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
    headers = Dictionary(
      lines.dropFirst().compactMap { line in
        let colon = line.firstIndex(of: ":") ?? line.startIndex
        return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
      }
    ) { $0 + ", " + $1 }
    body = parts.count > 1 ? String(parts[1]) : ""
  }
}

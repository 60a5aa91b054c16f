import Dispatch
import Glibc
import Reachability
import Scanner

/// Answers `GET /metrics`, and nothing else, for as long as it lives.
///
/// A connection is one request; eight are answered at once, each within a few seconds, and further
/// ones wait.
final class MetricsServer: Sendable {
  /// What is served, made anew for each request.
  typealias Page = @Sendable () -> String

  /// Where it listens, as a URL shows it.
  let address: Reachability.Endpoint

  /// Begins to listen.
  init(on place: Reachability.Endpoint, page: @escaping Page) throws(OutputFailure) {
    let (descriptor, port) = try listen(on: place)
    address = Reachability.Endpoint(host: place.host, port: port)
    let limit = DispatchSemaphore(value: 8)
    let connections = DispatchQueue(label: "sonde.metrics", attributes: .concurrent)
    DispatchQueue(label: "sonde.metrics.listener").async {
      while true {
        limit.wait()
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else {
          limit.signal()
          // Out of descriptors or memory, perhaps: it may get better.
          if errno != EINTR, errno != ECONNABORTED { usleep(100_000) }
          continue
        }
        connections.async {
          MetricsRequest(connection).answer(page)
          close(connection)
          limit.signal()
        }
      }
    }
  }
}

/// One request, from a stranger.
private struct MetricsRequest {
  private static let limit = 8192
  private static let patience = Duration.seconds(3)

  private let descriptor: Int32
  private let deadline = ContinuousClock.now + Self.patience

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  func answer(_ page: MetricsServer.Page) {
    guard let head = readHead() else { return }
    let words = head.prefix { $0 != "\r" && $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return send("400 Bad Request") }
    let path = words[1].prefix { $0 != "?" }
    switch (words[0], path) {
    case ("GET", "/metrics"): send("200 OK", page())
    case ("HEAD", "/metrics"): send("200 OK", page(), isHead: true)
    case ("GET", _), ("HEAD", _): send("404 Not Found", "Metrics are at /metrics.\n")
    case (_, _): send("405 Method Not Allowed")
    }
  }

  /// The request as far as its empty line; `nil` if it does not come.
  private func readHead() -> String? {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 2048)
    while bytes.count < Self.limit, wait(for: POLLIN) {
      let count = unsafe recv(descriptor, &block, block.count, 0)
      guard count > 0 else { return nil }
      bytes += block.prefix(count)
      if bytes.suffix(4).elementsEqual("\r\n\r\n".utf8)
        || bytes.suffix(2).elementsEqual("\n\n".utf8)
      {
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    return nil
  }

  private func send(_ status: String, _ body: String = "", isHead: Bool = false) {
    let head = """
      HTTP/1.1 \(status)\r
      Content-Type: text/plain; version=0.0.4; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Connection: close\r
      \r

      """
    var rest = Array((head + (isHead ? "" : body)).utf8)[...]
    while !rest.isEmpty, wait(for: POLLOUT) {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func wait(for event: Int32) -> Bool {
    let left = deadline - .now
    guard left > .zero else { return false }
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return unsafe poll(&entry, 1, Int32(left.milliseconds) + 1) > 0
  }
}

/// Opens a socket that listens.
///
/// - Returns: The socket and its port.
private func listen(
  on place: Reachability.Endpoint
) throws(OutputFailure) -> (descriptor: Int32, port: UInt16) {
  var hints = unsafe addrinfo()
  unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  unsafe hints.ai_flags = AI_PASSIVE
  var head: UnsafeMutablePointer<addrinfo>?
  guard unsafe getaddrinfo(place.host, "\(place.port)", &hints, &head) == 0,
    let entry = unsafe head?.pointee
  else { throw OutputFailure(name: "\(place)", code: EADDRNOTAVAIL) }
  defer { unsafe freeaddrinfo(head) }
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  let descriptor = unsafe socket(entry.ai_family, type, 0)
  var isReused: Int32 = 1
  let size = socklen_t(MemoryLayout<Int32>.size)
  unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, size)
  var address = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  guard unsafe bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0,
    Glibc.listen(descriptor, 16) == 0,
    unsafe withUnsafeMutablePointer(
      to: &address,
      { address in
        let pointer = unsafe UnsafeMutableRawPointer(address).assumingMemoryBound(to: sockaddr.self)
        return unsafe getsockname(descriptor, pointer, &length) == 0
      }
    )
  else {
    let code = errno
    if descriptor >= 0 { close(descriptor) }
    throw OutputFailure(name: "\(place)", code: code)
  }
  // The port lies at the same place for both families (ip(7), ipv6(7)).
  let port = unsafe withUnsafeBytes(of: address) {
    unsafe $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
  }
  return (descriptor, UInt16(bigEndian: port))
}

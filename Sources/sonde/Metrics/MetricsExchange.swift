/// One request for the metrics, from a stranger, and its answer: a pure value.
struct MetricsExchange {
  /// A longer head is none of Prometheus's.
  private static let limit = 8192

  private var head: [UInt8] = []
  /// What is still to be sent.
  private(set) var rest: ArraySlice<UInt8> = []
  /// Whether all is sent, or nothing will be.
  private(set) var isOver = false

  /// Takes what has come; nothing is the end of what comes.
  mutating func receive(_ bytes: some Collection<UInt8>, page: () -> String) {
    head += bytes
    if head.suffix(4).elementsEqual("\r\n\r\n".utf8) || head.suffix(2).elementsEqual("\n\n".utf8) {
      rest = answer(String(decoding: head, as: UTF8.self), page)[...]
    } else if bytes.isEmpty || head.count >= Self.limit {
      isOver = true
    }
  }

  /// Takes how many bytes were sent; none is a connection that has gone.
  mutating func didSend(_ count: Int) {
    rest = rest.dropFirst(max(0, count))
    if rest.isEmpty || count <= 0 { isOver = true }
  }

  private func answer(_ head: String, _ page: () -> String) -> [UInt8] {
    let words = head.prefix { $0 != "\r" && $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return reply("400 Bad Request") }
    return switch (words[0], words[1].prefix { $0 != "?" }) {
    case ("GET", "/metrics"): reply("200 OK", page())
    case ("HEAD", "/metrics"): reply("200 OK", page(), isHead: true)
    case ("GET", _), ("HEAD", _): reply("404 Not Found", "Metrics are at /metrics.\n")
    case (_, _): reply("405 Method Not Allowed")
    }
  }

  private func reply(_ status: String, _ body: String = "", isHead: Bool = false) -> [UInt8] {
    let head = """
      HTTP/1.1 \(status)\r
      Content-Type: text/plain; version=0.0.4; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Connection: close\r
      \r

      """
    return Array((head + (isHead ? "" : body)).utf8)
  }
}

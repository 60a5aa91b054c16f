import SondeRedis

/// The node of a cluster that a server redirects to: `MOVED SLOT HOST:PORT` or `ASK SLOT HOST:PORT`
/// (Redis cluster specification, "MOVED Redirection" and "ASK Redirection").
struct SharedRedirect: Equatable {
  /// Whether only the refused command is redirected.
  let isOnce: Bool
  /// The host; empty for that of the redirecting server.
  let host: String
  let port: UInt16

  /// Parses the words of an error reply; `nil` if it is no redirection.
  init?(_ words: [Substring]) {
    guard words.count == 3, let isOnce = ["MOVED": false, "ASK": true][words[0]],
      let colon = words[2].lastIndex(of: ":"),
      let port = UInt16(words[2][words[2].index(after: colon)...]), port > 0
    else { return nil }
    // A node that knows its address only, but not its name, says "?".
    let host = words[2][..<colon]
    (self.isOnce, self.port, self.host) = (isOnce, port, host == "?" ? "" : String(host))
  }

  /// The node, for a redirection by a server; `nil` if its host is unknown.
  func target(from socket: RedisPlace.Socket) -> RedisPlace.Socket? {
    if !host.isEmpty { return .tcp(host: host, port: port) }
    guard case .tcp(let host, _) = socket else { return nil }
    return .tcp(host: host, port: port)
  }
}

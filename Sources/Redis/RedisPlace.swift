/// Where a Redis server is, and which of its databases is meant.
public struct RedisPlace: Sendable, Equatable, CustomStringConvertible {
  /// What is connected to.
  public enum Socket: Sendable, Equatable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)
  }

  /// Why a text names no place.
  public struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// For a person; no password is in it.
    public let description: String
  }

  /// What is connected to.
  public let socket: Socket
  /// Who logs in; `nil` is the default user.
  public let user: String?
  /// The number of the database.
  public let database: Int

  /// Reads `redis://[USER@]HOST[:PORT][/DB]` or `unix:///PATH`.
  ///
  /// - Throws: ``FormatError``.
  public init(_ url: String) throws(FormatError) {
    if url.hasPrefix("unix://") {
      let path = String(url.dropFirst(7))
      guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw Self.malformed }
      // sun_path, unix(7)
      guard path.utf8.count < 108 else {
        throw FormatError(description: "the path of a socket has at most 107 bytes")
      }
      (socket, user, database) = (.unix(path: path), nil, 0)
      return
    }
    if url.hasPrefix("rediss://") {
      throw FormatError(
        description: "TLS is not supported; use a Unix socket, or a tunnel such as stunnel"
      )
    }
    guard url.hasPrefix("redis://") else { throw Self.malformed }
    let parts = url.dropFirst(8).split(
      separator: "/",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    var authority = parts[0]
    if let at = authority.lastIndex(of: "@") {
      let name = authority[..<at]
      guard !name.contains(":") else {
        throw FormatError(
          description: "the password belongs into SONDE_SHARED_PASSWORD, not into the URL"
        )
      }
      guard !name.isEmpty else { throw Self.malformed }
      user = String(name)
      authority = authority[authority.index(after: at)...]
    } else {
      user = nil
    }
    socket = try Self.socket(authority)
    let number = parts.count > 1 && !parts[1].isEmpty ? Self.number(parts[1]) : 0
    guard let number, number < 1 << 20 else { throw Self.malformed }
    database = number
  }

  /// Reads `HOST[:PORT]`, an IPv6 address in brackets.
  private static func socket(_ authority: Substring) throws(FormatError) -> Socket {
    var (host, rest) = (authority, Substring())
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw malformed }
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
    } else if let colon = authority.firstIndex(of: ":") {
      (host, rest) = (authority[..<colon], authority[colon...])
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw malformed }
    guard !rest.isEmpty else { return .tcp(host: String(host), port: 6379) }
    guard rest.hasPrefix(":"), let port = number(rest.dropFirst()).flatMap({ UInt16(exactly: $0) }),
      port > 0
    else { throw malformed }
    return .tcp(host: String(host), port: port)
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static let malformed = FormatError(
    description: "names no server"
  )

  /// The place without the user.
  public var description: String {
    switch socket {
    case .unix(let path): "unix://\(path)"
    case .tcp(let host, let port):
      host.contains(":")
        ? "redis://[\(host)]:\(port)/\(database)" : "redis://\(host):\(port)/\(database)"
    }
  }
}

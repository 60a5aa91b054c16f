/// The location of a Redis server, and its database.
public struct RedisPlace: Sendable, Equatable, CustomStringConvertible {
  /// The socket to connect to.
  public enum Socket: Sendable, Equatable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)
  }

  /// The reason why a text is not a valid location.
  public struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason in plain words, without a password.
    public let description: String
  }

  /// The socket to connect to.
  public let socket: Socket
  /// The user who logs in; `nil` for the default user.
  public let user: String?
  /// The number of the database.
  public let database: Int

  /// Parses `redis://[USER@]HOST[:PORT][/DB]` or `unix:///PATH`; an error repeats nothing that may
  /// be part of a password.
  public init(_ url: String) throws(FormatError) {
    if url.hasPrefix("unix://") {
      (socket, user, database) = (try Self.local(String(url.dropFirst(7))), nil, 0)
      return
    }
    for (scheme, advice) in Self.unsupported where url.hasPrefix(scheme) {
      throw FormatError(description: advice)
    }
    guard url.hasPrefix("redis://") else {
      throw FormatError(description: "it begins with neither redis:// nor unix://")
    }
    var rest = url.dropFirst(8)
    // A password may contain any character, so everything before the last "@" may belong to it.
    if let at = rest.lastIndex(of: "@") {
      user = try Self.user(rest[..<at])
      rest = rest[rest.index(after: at)...]
    } else {
      user = nil
    }
    if let mark = rest.first(where: { "?#".contains($0) }) {
      throw FormatError(description: "nothing may follow a '\(mark)': the URL has no parameters")
    }
    let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    socket = try Self.remote(parts[0])
    database = try parts.count > 1 ? Self.database(parts[1]) : 0
  }

  private static let unsupported = [
    ("rediss://", "TLS is not supported; use a Unix socket, or a tunnel such as stunnel"),
    ("redis-sentinel://", "Sentinel is not supported; name the server itself"),
    ("rediss-sentinel://", "Sentinel is not supported; name the server itself"),
  ]

  private static func user(_ name: Substring) throws(FormatError) -> String {
    guard !name.contains(":") else {
      throw FormatError(
        description: """
          it holds a password, which every user of this machine could read in the list of processes; \
          set SONDE_SHARED_PASSWORD instead
          """
      )
    }
    guard !name.isEmpty else { throw FormatError(description: "the user before '@' is missing") }
    guard !name.contains(where: { "/?#".contains($0) || $0.isWhitespace }) else {
      throw FormatError(description: "the user before '@' holds a '/', '?', '#' or blank")
    }
    return String(name)
  }

  private static func local(_ path: String) throws(FormatError) -> Socket {
    guard path.hasPrefix("/"), !path.utf8.contains(0) else {
      throw FormatError(description: "the path of a socket begins with '/': unix:///PATH")
    }
    // sun_path, unix(7)
    guard path.utf8.count < 108 else {
      throw FormatError(description: "the path of a socket has at most 107 bytes")
    }
    return .unix(path: path)
  }

  /// Parses `HOST[:PORT]`, with IPv6 addresses in brackets.
  private static func remote(_ authority: Substring) throws(FormatError) -> Socket {
    var (host, rest) = (authority, Substring())
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else {
        throw FormatError(description: "the ']' behind the IPv6 address is missing")
      }
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
    } else if let colon = authority.firstIndex(of: ":") {
      (host, rest) = (authority[..<colon], authority[colon...])
      guard !rest.dropFirst().contains(":") else {
        throw FormatError(description: "an IPv6 address stands in brackets: redis://[::1]:6379")
      }
    }
    guard !host.isEmpty else { throw FormatError(description: "the host is missing") }
    let isVisible = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    guard isVisible, !host.contains(where: { "\\\"'<>[]{}|^`".contains($0) }) else {
      throw FormatError(description: "the host holds a character that no host name has")
    }
    guard !rest.isEmpty else { return .tcp(host: String(host), port: 6379) }
    guard rest.hasPrefix(":") else {
      throw FormatError(description: "only a port, as in :6379, may follow the ']'")
    }
    guard let port = number(rest.dropFirst()).flatMap({ UInt16(exactly: $0) }), port > 0 else {
      throw FormatError(description: "the port behind ':' is not a number from 1 to 65535")
    }
    return .tcp(host: String(host), port: port)
  }

  private static func database(_ text: Substring) throws(FormatError) -> Int {
    guard !text.isEmpty else { return 0 }
    guard !text.contains("/") else {
      throw FormatError(description: "only the number of a database, as in /0, may follow the host")
    }
    guard let number = number(text), number < 1 << 20 else {
      throw FormatError(description: "the database behind '/' is not a number from 0 to 1048575")
    }
    return number
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  /// The location without the user.
  public var description: String {
    switch socket {
    case .unix(let path): "unix://\(path)"
    case .tcp(let host, let port):
      host.contains(":")
        ? "redis://[\(host)]:\(port)/\(database)" : "redis://\(host):\(port)/\(database)"
    }
  }
}

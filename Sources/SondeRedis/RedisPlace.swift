/// The location of a Redis server, the way to it, and the database.
public struct RedisPlace: Sendable, Equatable, CustomStringConvertible {
  /// The socket to connect to.
  public enum Socket: Sendable, Hashable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)
  }

  /// The server that holds the data.
  public enum Server: Sendable, Equatable {
    /// The server itself, or any node of a cluster.
    case direct(Socket)
    /// The current master of a name, known by these Redis Sentinels.
    case master(name: String, sentinels: [Socket])
  }

  /// Files in PEM format for TLS; `nil` for those that are not given.
  public struct TLSFiles: Sendable, Equatable {
    /// The certificate authorities, instead of those trusted for HTTPS.
    public var authorities: String?
    /// The client's certificate, with its chain.
    public var certificate: String?
    /// The key of the client's certificate.
    public var key: String?

    /// Creates a choice of files, by default none.
    public init() {}
  }

  /// The reason why a text is not a valid location.
  public struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason in plain words, without a password.
    public let description: String
  }

  /// The server that holds the data.
  public let server: Server
  /// The files for TLS; `nil` without TLS.
  public let tls: TLSFiles?
  /// The user who logs in; `nil` for the default user.
  public let user: String?
  /// The number of the database.
  public let database: Int

  /// The forms of a URL.
  public static let forms = """
    redis://[USER@]HOST[:PORT][/DB], redis-sentinel://[USER@]HOSTS/NAME (with commas between \
    HOSTS), both with rediss for TLS, or unix:///PATH
    """

  /// Parses a URL in one of the ``forms``, which with TLS may have the parameters `ca`, `cert` and
  /// `key`; an error repeats nothing that may be part of a password.
  public init(_ url: String) throws(FormatError) {
    if url.hasPrefix("unix://") {
      server = .direct(try Self.local(String(url.dropFirst(7))))
      (tls, user, database) = (nil, nil, 0)
      return
    }
    guard let scheme = Self.schemes.first(where: { url.hasPrefix($0.prefix) }) else {
      throw FormatError(
        description: """
          it begins with none of redis://, rediss://, redis-sentinel://, rediss-sentinel:// and \
          unix://
          """
      )
    }
    var rest = url.dropFirst(scheme.prefix.count)
    // A password may contain any character, so everything before the last "@" may belong to it.
    if let at = rest.lastIndex(of: "@") {
      user = try Self.user(rest[..<at])
      rest = rest[rest.index(after: at)...]
    } else {
      user = nil
    }
    if let mark = rest.first(where: { "?#".contains($0) }), mark == "#" || !scheme.hasTLS {
      let reason = mark == "#" ? "the URL has no fragment" : "only TLS has parameters"
      throw FormatError(description: "nothing may follow a '\(mark)': \(reason)")
    }
    let halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    tls = scheme.hasTLS ? try Self.files(halves.count > 1 ? halves[1] : nil) : nil
    let parts = halves[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.count > 1 ? parts[1] : ""
    (server, database) =
      scheme.hasSentinels
      ? try Self.master(parts[0], path)
      : (.direct(try Self.remote(parts[0], port: 6379)), try Self.database(path))
  }

  private static let schemes = [
    (prefix: "redis://", hasTLS: false, hasSentinels: false),
    (prefix: "rediss://", hasTLS: true, hasSentinels: false),
    (prefix: "redis-sentinel://", hasTLS: false, hasSentinels: true),
    (prefix: "rediss-sentinel://", hasTLS: true, hasSentinels: true),
  ]

  /// The location without the user.
  public var description: String {
    let scheme = tls == nil ? "redis" : "rediss"
    switch server {
    case .direct(.unix(let path)): return "unix://\(path)"
    case .direct(let socket): return "\(scheme)://\(socket)/\(database)\(tls?.query ?? "")"
    case .master(let name, let sentinels):
      let places = sentinels.map(\.description).joined(separator: ",")
      return "\(scheme)-sentinel://\(places)/\(name)/\(database)\(tls?.query ?? "")"
    }
  }
}

extension RedisPlace.Socket: CustomStringConvertible {
  /// `HOST:PORT`, with IPv6 addresses in brackets, or the path.
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}

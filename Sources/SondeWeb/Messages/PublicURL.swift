/// The public URL of the server, which determines scheme, host and base path of all links, cookies
/// and checks: `https://example.org/sonde/`.
public struct PublicURL: Hashable, Sendable, CustomStringConvertible {
  /// The scheme.
  public let scheme: Scheme

  /// The host and, unless it is the scheme's default, the port.
  public let authority: Authority

  /// The beginning of all paths: `/`, or `/sonde/` with a slash at both ends.
  public let basePath: String

  init(scheme: Scheme, authority: Authority, basePath: String = "/") {
    (self.scheme, self.authority, self.basePath) = (scheme, authority, basePath)
  }

  /// Parses an absolute URL of http or https without user, query or fragment.
  ///
  /// A missing final slash is added; anything else is `nil`.
  public init?(_ text: String) {
    let lowercased = text.lowercased()
    guard let scheme = [Scheme.http, .https].first(where: { lowercased.hasPrefix("\($0)://") })
    else { return nil }
    let rest = text.dropFirst(scheme.rawValue.count + 3)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    guard let authority = Authority(rest[..<slash]), authority.port != 0 else { return nil }
    let segments = rest[slash...].split(separator: "/")
    guard !rest[slash...].contains("//"), segments.allSatisfy(\.isPlainSegment) else { return nil }
    self.scheme = scheme
    let isDefault = authority.port == scheme.defaultPort
    self.authority = isDefault ? Authority(host: authority.host, port: nil) : authority
    basePath = segments.reduce("/") { "\($0)\($1)/" }
  }

  /// The scheme and the authority, as in a browser's `Origin` (RFC 6454 §6.2).
  public var origin: String { "\(scheme)://\(authority)" }

  /// The whole URL, with a final slash.
  public var description: String { origin + basePath }
}

extension StringProtocol {
  /// Whether it may be a segment of a base path: not only dots, and no character that needs
  /// encoding.
  fileprivate var isPlainSegment: Bool { self != "." && self != ".." && isAlphanumeric(or: "-._~") }
}

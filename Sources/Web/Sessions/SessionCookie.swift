/// The cookie that a browser proves its session by (RFC 6265).
public struct SessionCookie: Sendable {
  /// Its name, in which `PORT` stands for the port that is listened on: cookies know none.
  public internal(set) var name: String

  /// The path that it is sent for: the base path.
  let path: String

  /// Whether it is sent over TLS alone.
  var isSecure: Bool

  /// Names a cookie.
  ///
  /// - Parameters:
  ///   - name: A token of RFC 6265 §4.1.1, in which `PORT` stands for the port that is listened on;
  ///     over TLS best one that begins with `__Secure-`.
  ///   - publicURL: Where people find the server; `nil` is the root of where it listens.
  public init(name: String, publicURL: PublicURL? = nil) {
    self.name = name
    path = publicURL?.basePath ?? "/"
    isSecure = publicURL?.scheme == .https
  }

  /// Puts the port that is listened on into the name.
  mutating func fill(port: Int?) {
    let parts = name.split(separator: "PORT", omittingEmptySubsequences: false)
    name = parts.joined(separator: "\(port ?? 0)")
  }

  /// The `Set-Cookie` that gives a browser a session.
  ///
  /// - Parameters:
  ///   - token: Letters, digits, `-` and `_`.
  ///   - lifetime: How long the browser keeps it.
  /// - Returns: The value of the header.
  public func setting(_ token: String, for lifetime: Duration) -> String {
    "\(name)=\(token); Max-Age=\(lifetime.components.seconds)" + attributes
  }

  /// The `Set-Cookie` that takes it away.
  public var clearing: String { "\(name)=; Max-Age=0" + attributes }

  private var attributes: String {
    "; Path=\(path); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// The token that a request's `Cookie` headers have; the first, as a browser sends the one of the
  /// most exact path first.
  func token(in fields: [String]) -> String? {
    for pair in fields.flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0].trimmed == name { return String(parts[1].trimmed) }
    }
    return nil
  }
}

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
  ///     over TLS best one that begins with `__Host-`, or with `__Secure-` below a base path, where
  ///     browsers refuse the former.
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

  /// The token that a request's `Cookie` headers have; `nil` also where they have two of this name: one
  /// of them is somebody else's, who may set cookies for this host, and nobody knows which.
  func token(in fields: [String]) -> String? {
    let tokens = fields.flatMap { $0.split(separator: ";") }.compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0].trimmed == name ? String(parts[1].trimmed) : nil
    }
    return tokens.count == 1 ? tokens[0] : nil
  }
}

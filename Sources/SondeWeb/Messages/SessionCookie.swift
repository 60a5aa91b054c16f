/// The cookie of a browser's session (RFC 6265).
public struct SessionCookie: Sendable {
  /// The name, in which `PORT` stands for the listening port, since cookies ignore ports.
  public internal(set) var name: String

  /// The base path.
  let path: String

  /// Whether it is only sent over TLS.
  var isSecure: Bool

  /// Creates a cookie; without a public URL, for the root of the listening address.
  ///
  /// The name is a token of RFC 6265 §4.1.1, in which `PORT` stands for the listening port. Over
  /// TLS it should begin with `__Host-`, or with `__Secure-` below a base path, where browsers
  /// refuse the former.
  public init(name: String, publicURL: PublicURL? = nil) {
    self.name = name
    path = publicURL?.basePath ?? "/"
    isSecure = publicURL?.scheme == .https
  }

  mutating func fill(port: Int?) {
    let parts = name.split(separator: "PORT", omittingEmptySubsequences: false)
    name = parts.joined(separator: "\(port ?? 0)")
  }

  /// The `Set-Cookie` value that gives a browser a session for a lifetime.
  ///
  /// The token has only letters, digits, `-` and `_`.
  public func setting(_ token: String, for lifetime: Duration) -> String {
    "\(name)=\(token); Max-Age=\(lifetime.components.seconds)" + attributes
  }

  /// The `Set-Cookie` value that removes the session.
  public var clearing: String { "\(name)=; Max-Age=0" + attributes }

  private var attributes: String {
    "; Path=\(path); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// The token in a request's `Cookie` headers; `nil` if there is none or more than one.
  ///
  /// With two, one was set by another party that may set cookies for this host, and it is unknown
  /// which.
  func token(in fields: [String]) -> String? {
    let tokens = fields.flatMap { $0.split(separator: ";") }.compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0].trimmed == name ? String(parts[1].trimmed) : nil
    }
    return tokens.count == 1 ? tokens[0] : nil
  }
}

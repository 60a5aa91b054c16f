/// What every answer tells the browser, so that a page can neither load from nor be used by others.
struct SafetyHeaders: Sendable {
  private let fields: [(name: String, value: String)]

  /// - Parameter policy: The Content-Security-Policy (W3C CSP3).
  init(policy: String) {
    fields = [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      // What may be kept says so itself.
      ("Cache-Control", "no-store"),
    ]
  }

  /// Only from this server, nothing inline, in nobody's frame.
  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
    """

  /// Adds those that an answer does not have itself.
  func complete(_ headers: inout HeaderFields) {
    for (name, value) in fields where headers[name] == nil { headers.append(name, value) }
  }
}

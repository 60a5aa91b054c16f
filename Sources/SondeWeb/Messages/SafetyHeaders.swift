/// The headers of all answers that restrict what a page may load and who may embed it.
struct SafetyHeaders: Sendable {
  private let fields: [(name: String, value: String)]

  /// The policy is a Content-Security-Policy (W3C CSP3).
  init(policy: String) {
    fields = [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      // Cacheable answers set their own value.
      ("Cache-Control", "no-store"),
    ]
  }

  /// Only content from this server, nothing inline, no embedding in frames.
  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
    """

  /// Adds the headers that an answer lacks.
  func complete(_ headers: inout HeaderFields) {
    for (name, value) in fields where headers[name] == nil { headers.append(name, value) }
  }
}

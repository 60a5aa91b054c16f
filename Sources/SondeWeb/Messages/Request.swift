/// A request of a client.
public struct Request: Sendable {
  /// The method; GET for a HEAD request.
  public let method: Method

  /// The segments of the path below the base path, decoded once.
  public let path: [String]

  /// The query.
  public let query: Query

  /// The header.
  public let headers: HeaderFields

  /// The client's numeric address: the peer's, or the one that a trusted proxy names.
  public let client: String

  /// The session cookie of this server.
  public let sessionCookie: SessionCookie

  /// The unverified token of the session's cookie; `nil` if there is none.
  public let sessionToken: String?

  /// The unverified token of `Authorization: Bearer TOKEN`; `nil` if there is none.
  public let bearerToken: String?

  /// The public URL of the server, for links.
  public let server: PublicURL

  let parameters: [String: String]
  let source: any BodySource

  /// Whether the session that admitted the request, if any, is still valid.
  public internal(set) var isAllowed: @Sendable () async -> Bool = { true }

  /// The value of a parameter in the route's path.
  ///
  /// - Throws: ``Problem`` with 404 if it is not a value of the type.
  public func parameter<Value: LosslessStringConvertible>(
    _ name: String,
    as type: Value.Type = Value.self
  ) throws(Problem) -> Value {
    guard let value = parameters[name].flatMap(Value.init) else { throw .notFound }
    return value
  }
}

// MARK: - The body

extension Request {
  /// The largest length of a JSON body in bytes.
  public static let longestJSON = 64 << 10

  /// The body as chunks of at most `limit` bytes in all, received as fast as they are read, once.
  public func body(limit: Int) -> BodyChunks { BodyChunks(source: source, limit: limit) }

  /// The members of the body, a JSON object with only known names.
  ///
  /// - Throws: ``Problem``: 415 if its type is not JSON, 413 above ``longestJSON``, 400 if it is
  ///   malformed or has other names, 422 if it is not an object.
  public func members(_ known: String...) async throws(Problem) -> JSONMembers {
    try JSONMembers(try await json(), known: known)
  }

  /// The body as a JSON value.
  ///
  /// - Throws: ``Problem``: 415, 413 or 400.
  public func json() async throws(Problem) -> JSON {
    guard hasType("application/json") else { throw .mediaType("application/json") }
    return try JSONReader.value(of: try await text())
  }

  /// Ensures that there is no body, or an empty JSON object.
  ///
  /// - Throws: ``Problem``, like ``members(_:)``.
  public func withoutBody() async throws(Problem) {
    let text = try await text()
    guard !text.isEmpty else { return }
    guard hasType("application/json") else { throw .mediaType("application/json") }
    _ = try JSONMembers(try JSONReader.value(of: text), known: [])
  }

  private func text() async throws(Problem) -> [UInt8] {
    var text: [UInt8] = []
    do throws(BodyError) {
      var chunks = body(limit: Self.longestJSON).makeAsyncIterator()
      while let chunk = try await chunks.next() { text += chunk }
    } catch {
      throw error.problem
    }
    return text
  }

  /// Whether the body has a media type, ignoring parameters.
  public func hasType(_ type: String) -> Bool {
    let field = headers["Content-Type"] ?? ""
    return field.prefix { $0 != ";" }.trimmed.equalsIgnoringCase(type)
  }
}

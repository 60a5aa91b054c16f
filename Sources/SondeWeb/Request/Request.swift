/// What a client asks for.
public struct Request: Sendable {
  /// What is to be done; GET where HEAD was asked for.
  public let method: Method

  /// The path's segments below the base path, decoded once.
  public let path: [String]

  /// The query.
  public let query: Query

  /// The header.
  public let headers: HeaderFields

  /// The client's numeric address: the peer's, or what a proxy that is believed says.
  public let client: String

  /// The cookie that sessions of this server are proved by.
  public let sessionCookie: SessionCookie

  /// The token of the session's cookie, which may be anything; `nil` where there is none.
  public let sessionToken: String?

  /// The token of `Authorization: Bearer TOKEN`, which may be anything; `nil` where there is none.
  public let bearerToken: String?

  /// Where the server is found, for links.
  public let server: PublicURL

  let parameters: [String: String]
  let source: any BodySource

  /// Whether the session that it was let in by, if any, has not ended since.
  public internal(set) var isAllowed: @Sendable () async -> Bool = { true }

  /// A parameter of the path, as it was written in it.
  ///
  /// - Parameters:
  ///   - name: Its name in the route's path.
  ///   - type: What reads it.
  /// - Returns: Its value.
  /// - Throws: ``Problem`` with 404 where it cannot be one: nothing is there.
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
  /// How long a JSON body may be, in bytes.
  public static let longestJSON = 64 << 10

  /// The body, chunk by chunk, as fast as it is read.
  ///
  /// - Parameter limit: How long it may be, in bytes.
  /// - Returns: The chunks, which can be read once.
  public func body(limit: Int) -> BodyChunks { BodyChunks(source: source, limit: limit) }

  /// The members of the body, a JSON object.
  ///
  /// - Parameter known: The names that there may be.
  /// - Returns: The members.
  /// - Throws: ``Problem``: 415 where it is not said to be JSON, 413 above ``longestJSON``, 400 where
  ///   it is not JSON or has other names, 422 where it is no object.
  public func members(_ known: String...) async throws(Problem) -> JSONMembers {
    try JSONMembers(try await json(), known: known)
  }

  /// The body, a value of JSON.
  ///
  /// - Throws: ``Problem``: 415, 413 or 400.
  public func json() async throws(Problem) -> JSON {
    guard hasType("application/json") else { throw .mediaType("application/json") }
    return try JSONReader.value(of: try await text())
  }

  /// Makes sure that there is no body, or a JSON object without members.
  ///
  /// - Throws: ``Problem``, as ``members(_:)``.
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

  /// Whether the body is of a media type, whatever its parameters.
  public func hasType(_ type: String) -> Bool {
    let field = headers["Content-Type"] ?? ""
    return field.prefix { $0 != ";" }.trimmed.equalsIgnoringCase(type)
  }
}

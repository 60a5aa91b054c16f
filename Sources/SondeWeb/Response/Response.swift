/// What a handler answers.
public struct Response: Sendable {
  /// The status of HTTP.
  public var status: Int

  /// Further headers; those of the type, of safety and of caching are added where they are missing.
  public var headers = HeaderFields()

  /// What follows the headers.
  enum Body: Sendable {
    case bytes([UInt8])
    /// Runs when the headers are queued; what it throws cuts the answer, so that nobody takes it for whole.
    case stream(@Sendable (BodyWriter) async throws -> Void)
    /// Filled by others, who also end it.
    case channel(ByteChannel)
  }

  var body: Body

  init(status: Int, type: String?, body: Body) {
    (self.status, self.body) = (status, body)
    headers["Content-Type"] = type
  }

  /// Nothing but a status: 204.
  public static var empty: Response { Response(status: 204, type: nil, body: .bytes([])) }

  /// A text.
  public static func text(_ text: String, status: Int = 200) -> Response {
    bytes(Array(text.utf8), type: "text/plain; charset=utf-8", status: status)
  }

  /// A value of JSON.
  public static func json(_ value: JSON, status: Int = 200) -> Response {
    json(value.bytes, status: status)
  }

  /// The text of a value of JSON.
  public static func json(_ text: [UInt8], status: Int = 200) -> Response {
    bytes(text, type: "application/json", status: status)
  }

  /// Bytes of a type.
  public static func bytes(_ bytes: [UInt8], type: String, status: Int = 200) -> Response {
    Response(status: status, type: type, body: .bytes(bytes))
  }

  /// An answer that is written while it is sent, as fast as the client reads.
  ///
  /// - Parameters:
  ///   - type: Its media type.
  ///   - write: Writes the body; its task is cancelled when the client leaves or the server stops. What
  ///     it throws cuts the answer short of its end, which the client notices.
  /// - Returns: The answer.
  public static func stream(
    type: String,
    _ write: @escaping @Sendable (BodyWriter) async throws -> Void
  ) -> Response {
    Response(status: 200, type: type, body: .stream(write))
  }

  /// The answer; where it is streamed, it is cut as soon as a condition no longer holds.
  func told(while isAllowed: @escaping @Sendable () async -> Bool) -> Response {
    guard case .stream(let write) = body else { return self }
    var response = self
    response.body = .stream {
      try await write(BodyWriter(channel: $0.channel, isAllowed: isAllowed))
    }
    return response
  }

  /// Has the browser save the answer under a name.
  ///
  /// - Parameter name: ASCII letters, digits, `.`, `-` and `_`; others become `_`.
  /// - Returns: The answer as a download.
  public func saved(as name: String) -> Response {
    let safe = name.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || ".-_".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
    }
    var response = self
    response.headers["Content-Disposition"] = "attachment; filename=\"\(String(safe))\""
    return response
  }

  /// With one more header.
  public func with(_ name: String, _ value: String) -> Response {
    var response = self
    response.headers[name] = value
    return response
  }
}

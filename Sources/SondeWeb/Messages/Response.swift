/// The answer of a handler.
public struct Response: Sendable {
  /// The HTTP status.
  public var status: Int

  /// Additional headers; type, safety and caching headers are added unless present.
  public var headers = HeaderFields()

  /// The body of an answer.
  enum Body: Sendable {
    case bytes([UInt8])
    /// Runs after the headers are queued; an error truncates the answer detectably.
    case stream(@Sendable (BodyWriter) async throws -> Void)
    /// Filled and ended by other code.
    case channel(ByteChannel)
  }

  var body: Body

  init(status: Int, type: String?, body: Body) {
    (self.status, self.body) = (status, body)
    headers["Content-Type"] = type
  }

  /// A status without a body: 204.
  public static var empty: Response { Response(status: 204, type: nil, body: .bytes([])) }

  /// An answer with a text.
  public static func text(_ text: String, status: Int = 200) -> Response {
    bytes(Array(text.utf8), type: "text/plain; charset=utf-8", status: status)
  }

  /// An answer with a JSON value.
  public static func json(_ value: JSON, status: Int = 200) -> Response {
    json(value.bytes, status: status)
  }

  /// An answer with JSON text.
  public static func json(_ text: [UInt8], status: Int = 200) -> Response {
    bytes(text, type: "application/json", status: status)
  }

  /// An answer with bytes of a media type.
  public static func bytes(_ bytes: [UInt8], type: String, status: Int = 200) -> Response {
    Response(status: status, type: type, body: .bytes(bytes))
  }

  /// An answer that is written while it is sent, as fast as the client reads.
  ///
  /// The task that writes is cancelled when the client disconnects or the server stops. If it
  /// throws, the answer is truncated, which the client can detect.
  public static func stream(
    type: String,
    _ write: @escaping @Sendable (BodyWriter) async throws -> Void
  ) -> Response {
    Response(status: 200, type: type, body: .stream(write))
  }

  /// A copy whose stream, if it has one, is cut as soon as a condition is false.
  func told(while isAllowed: @escaping @Sendable () async -> Bool) -> Response {
    guard case .stream(let write) = body else { return self }
    var response = self
    response.body = .stream {
      try await write(BodyWriter(channel: $0.channel, isAllowed: isAllowed))
    }
    return response
  }

  /// Makes the browser save the answer under a name.
  ///
  /// All characters of the name except ASCII letters, digits, `.`, `-` and `_` become `_`.
  public func saved(as name: String) -> Response {
    let safe = name.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || ".-_".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
    }
    var response = self
    response.headers["Content-Disposition"] = "attachment; filename=\"\(String(safe))\""
    return response
  }

  /// A copy with an additional header.
  public func with(_ name: String, _ value: String) -> Response {
    var response = self
    response.headers[name] = value
    return response
  }
}

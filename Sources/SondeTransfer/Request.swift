public import SondeSystem

/// An HTTP request.
///
/// Printing, dumping or interpolating a request shows neither its token nor any part of its URL
/// after the host.
public struct Request: Sendable {
  /// The HTTP method (RFC 9110 §9.3).
  public enum Method: Sendable {
    case get
    case post
  }

  /// An `http` or `https` URL.
  public var url: String

  /// The method.
  public var method: Method

  /// The content of a POST; ignored for a GET.
  public var body: [UInt8]

  /// Additional header fields, such as `Content-Type` and `Accept`.
  ///
  /// `Host`, `Content-Length`, `Transfer-Encoding` and `Authorization` are the client's alone; a
  /// `User-Agent` or `Accept-Encoding` here replaces its own.
  public var headers: [(name: String, value: String)]

  /// A secret sent as `Authorization: Bearer` (RFC 6750 §2.1).
  ///
  /// Over plain HTTP, it is refused for all hosts except this machine's loopback, which is
  /// contacted without a proxy.
  public var bearerToken: String?

  /// Additional header fields whose values are as secret as a ``bearerToken``.
  public var secretHeaders: [(name: String, value: String)] = []

  /// Whether the URL contains a key, which is then kept as secret as a ``bearerToken``.
  public var hasKeyInURL = false

  /// The time limit for the exchange after it starts, including name resolution and connecting.
  ///
  /// Waiting for one of the client's connections to the host is not included.
  public var timeout: Duration

  /// The time limit for name resolution, connecting and the TLS handshake together.
  public var connectTimeout: Duration

  /// Whether to open a new connection instead of using a pooled one, as after a loss of the
  /// network.
  public var isFreshConnection: Bool

  /// The largest body accepted, in bytes after decompression.
  public var maximumBody: Int

  /// The file that the body of a 200 is appended to, so that it takes no memory; the response has no
  /// body then, and that of any other status is left out.
  public var destination: Descriptor?

  /// Whether the status alone matters: a body that is too large, broken off or late is no error then,
  /// and the response has what arrived of it.
  public var acceptsPartialBody = false

  /// The default of ``maximumBody``: 16 MiB.
  public static let standardMaximumBody = 16 << 20

  /// Creates a request.
  public init(
    url: String,
    method: Method = .get,
    body: [UInt8] = [],
    headers: [(name: String, value: String)] = [],
    bearerToken: String? = nil,
    timeout: Duration = .seconds(10),
    connectTimeout: Duration = .seconds(10),
    isFreshConnection: Bool = false,
    maximumBody: Int = Request.standardMaximumBody
  ) {
    (self.url, self.method, self.body, self.headers) = (url, method, body, headers)
    (self.bearerToken, self.timeout, self.connectTimeout) = (bearerToken, timeout, connectTimeout)
    (self.isFreshConnection, self.maximumBody) = (isFreshConnection, maximumBody)
  }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the redacted URL.
  public var description: String { "\(method == .get ? "GET" : "POST") \(redacted(url: url))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// An empty mirror, so that `dump` shows neither the token nor the query.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One HTTP request.
///
/// Printing, dumping or interpolating a request shows neither its token nor anything of its URL past
/// the host.
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

  /// What a POST carries; ignored for a GET.
  public var body: [UInt8]

  /// Header fields besides those the client sets itself (`Host`, `User-Agent`, `Accept-Encoding`,
  /// `Content-Length`, `Authorization`); `Content-Type` and `Accept` belong here.
  public var headers: [(name: String, value: String)]

  /// A secret sent as `Authorization: Bearer` (RFC 6750 §2.1).
  ///
  /// Over plain HTTP it is refused for any host but this machine's loopback, and then sent past any
  /// proxy.
  public var bearerToken: String?

  /// Whether the URL holds a key: then it is kept as secret as a ``bearerToken``.
  public var hasKeyInURL = false

  /// Time for the whole exchange once it has begun, name resolution and connecting included.
  ///
  /// Waiting for one of the client's connections to the host is not counted.
  public var timeout: Duration

  /// Time for resolving the name, connecting and the TLS handshake together.
  public var connectTimeout: Duration

  /// Whether to leave the pooled connections aside and open a new one, as after a network loss.
  public var isFreshConnection: Bool

  /// The largest body accepted, in bytes after decompression.
  public var maximumBody: Int

  /// The default of ``maximumBody``: 16 MiB.
  public static let standardMaximumBody = 16 << 20

  /// Makes a request.
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
    self.url = url
    self.method = method
    self.body = body
    self.headers = headers
    self.bearerToken = bearerToken
    self.timeout = timeout
    self.connectTimeout = connectTimeout
    self.isFreshConnection = isFreshConnection
    self.maximumBody = maximumBody
  }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the redacted URL.
  public var description: String { "\(method == .get ? "GET" : "POST") \(redacted(url: url))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing: `dump` must not show the token or the query either.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

import SondeSystem

/// Sends HTTP requests over pooled connections.
///
/// A separate thread performs all transfers; callers only wait.
public final class HTTPClient: Sendable {
  /// The settings common to all requests of a client.
  public struct Configuration: Sendable {
    /// The value of the `User-Agent` field.
    public var userAgent: String

    /// The largest number of concurrent requests, and so of connections, per scheme, host and port.
    ///
    /// Further requests wait in order.
    public var maximumConnections = 16

    /// The certificate authorities that are trusted.
    public var authorities = CertificateAuthorities.fromEnvironment()

    /// The proxies for requests; none by default.
    public var proxies = ProxyRules()

    /// Returns whether the client may connect to an address; `nil` permits all.
    ///
    /// The address has 4 or 16 bytes in network order. The function is called on the client's
    /// thread for each address directly before connecting, so that a name cannot change its address
    /// after a check. For a request through a proxy, it is the proxy's address.
    public var permitsAddress: (@Sendable (_ bytes: [UInt8]) -> Bool)?

    /// Creates a configuration with a `User-Agent` such as `example/1.0` (RFC 9110 §10.1.5).
    public init(userAgent: String) { self.userAgent = userAgent }
  }

  private let inbox = Inbox()
  private let thread: Thread

  /// Starts a client and its thread.
  /// - Throws: ``TransferError`` with `misconfigured` if libcurl cannot be loaded, libcurl or the
  ///   thread cannot be started, or the `User-Agent` is empty or holds a control character.
  public init(configuration: Configuration) throws(TransferError) {
    guard !configuration.userAgent.isEmpty, isFieldValue(configuration.userAgent) else {
      throw TransferError(.misconfigured("the User-Agent is empty or holds a control character"))
    }
    try LibCurl.start()
    thread = try TransferLoop.start(inbox: inbox, configuration: configuration)
  }

  /// Ends the thread, all transfers and all connections.
  deinit {
    inbox.close()
    thread.join()
  }

  /// Sends a request and waits for the whole answer, whatever its status; follows no redirects.
  ///
  /// A cancelled task gets a `CancellationError` at once, and its transfer ends within
  /// milliseconds, even during name resolution. All other errors are of type ``TransferError``. No
  /// request is sent twice: a pooled connection that turns out to be dead causes an error
  /// (``TransferError/Reason/staleConnection``), and the caller decides whether to retry.
  ///
  /// The request is abandoned if ``giveUps`` has changed since it was passed, unless that is `nil`.
  public func send(_ request: Request, after giveUps: Int? = nil) async throws -> Response {
    let exchange = SubmittedRequest(request: request, endpoint: try request.validated())
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard exchange.begin(continuation), !inbox.submit(exchange, after: giveUps) else { return }
        exchange.fail(.givenUp)
      }
    } onCancel: {
      exchange.finish(.failure(CancellationError()))
      inbox.cancel(exchange)
    }
  }

  /// Closes the idle connections and clears the cache of resolved names, as after a loss of the
  /// network.
  ///
  /// Running requests keep their connections until they finish; requests sent after this call open
  /// new ones.
  public func dropIdleConnections() { inbox.dropIdleConnections() }

  /// Ends all running requests with ``TransferError/Reason/givenUp``, and reuses none of their
  /// connections.
  ///
  /// Call this after a loss of the network, which time-outs would detect much later. Requests sent
  /// after this call are unaffected. Data that has not arrived is withdrawn; the connections are
  /// closed when the next request is sent.
  public func giveUpAll() { inbox.giveUpAll() }

  /// Ends the running requests of which nothing was sent with ``TransferError/Reason/givenUp``.
  ///
  /// Call this when the network is back: the kernel would wait before it tries to connect again.
  public func giveUpUnsent() { inbox.giveUpUnsent() }

  /// The number of calls of ``giveUpAll()``.
  public var giveUps: Int { inbox.giveUps }
}

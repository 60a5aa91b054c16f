import SondeSystem

/// Sends HTTP requests over pooled connections.
///
/// A separate thread drives all transfers; callers only wait.
public final class HTTPClient: Sendable {
  /// What stays the same for all requests of a client.
  public struct Configuration: Sendable {
    /// The `User-Agent`.
    public var userAgent: String

    /// How many requests to one scheme, host and port may be under way at once, and so how many
    /// connections are held; the others wait in order.
    public var maximumConnections = 16

    /// Whose certificates are trusted.
    public var authorities = CertificateAuthorities.fromEnvironment()

    /// Which proxies requests go through; none unless it is set.
    public var proxies = ProxyRules()

    /// Whether the client may connect to an address: its 4 or 16 bytes, in network order; `nil` is to
    /// any.
    ///
    /// It is asked on the client's thread, about each address that is about to be connected to, so that
    /// no name can change its address between a check and the connection. Through a proxy that is
    /// the proxy's address.
    public var permitsAddress: (@Sendable (_ bytes: [UInt8]) -> Bool)?

    /// Creates a configuration of a client that names its program.
    ///
    /// - Parameter userAgent: The `User-Agent`, a product and its version as in `example/1.0` (RFC 9110,
    ///   section 10.1.5).
    public init(userAgent: String) { self.userAgent = userAgent }
  }

  private let inbox = Inbox()
  private let thread: Thread

  /// Starts a client and its thread.
  /// - Throws: ``TransferError`` with `misconfigured` when libcurl cannot be loaded, or
  ///   it or the thread not started.
  public init(configuration: Configuration) throws(TransferError) {
    try LibCurl.start()
    thread = try TransferLoop.start(inbox: inbox, configuration: configuration)
  }

  /// Ends the thread, all transfers and all connections.
  deinit {
    inbox.close()
    thread.join()
  }

  /// Sends a request and waits for the whole answer, whatever its status; redirects are not followed.
  ///
  /// A cancelled task returns at once, and its transfer ends within milliseconds, also while a name
  /// is being resolved. Nothing is sent twice: that a pooled connection turns out to be dead is an error
  /// (``TransferError/Reason/staleConnection``), and asking again is the caller's decision.
  /// - Parameters:
  ///   - request: What to send.
  ///   - giveUps: ``giveUps`` as it was when the decision to send was made: a request that
  ///     comes later is given up, too. `nil` sends it in any case.
  /// - Returns: The answer.
  /// - Throws: ``TransferError``, or `CancellationError` when the task was cancelled.
  public func send(_ request: Request, after giveUps: Int? = nil) async throws -> Response {
    let exchange = Exchange(request: request, endpoint: try request.validated())
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard exchange.begin(continuation), !inbox.submit(exchange, after: giveUps) else { return }
        exchange.finish(.failure(exchange.error(.givenUp, phase: .preparing)))
      }
    } onCancel: {
      exchange.finish(.failure(CancellationError()))
      inbox.cancel(exchange)
    }
  }

  /// Closes the pooled connections and forgets the names resolved, as after a loss of the network.
  ///
  /// Requests under way keep theirs until they are done; requests sent after this call open new ones.
  public func dropIdleConnections() { inbox.dropIdleConnections() }

  /// Ends all requests under way with ``TransferError/Reason/givenUp``, and uses none of their
  /// connections again.
  ///
  /// For a loss of the network, which no time-out would notice for long; requests sent after this
  /// call are not concerned. What of a request has not arrived will not; the connections are closed
  /// once something else is sent.
  public func giveUpAll() { inbox.giveUpAll() }

  /// How often ``giveUpAll()`` was called.
  public var giveUps: Int { inbox.giveUps }
}

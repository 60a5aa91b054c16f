public import SondeSystem

/// Why a request got no answer, so that network losses differ from server errors.
///
/// An error contains host and port, but no other part of the URL, the token or the bodies, so that
/// it can be printed anywhere.
public struct TransferError: Error, Sendable, Equatable {
  /// The cause of the error.
  public enum Reason: Sendable, Equatable {
    /// The host's (or proxy's) name has no address, or no name server answered.
    case couldNotResolve
    /// No connection (TLS included) was established within the time.
    case connectTimedOut
    /// The host answered that nothing listens on the port.
    case connectionRefused
    /// The kernel or a router knows no route to the host.
    case noRoute
    /// The kernel, or a packet filter, does not permit the connection.
    case notPermitted
    /// ``HTTPClient/Configuration/permitsAddress`` refuses every address of the host.
    case addressRefused
    /// The proxy answered a request for a tunnel with this status (CONNECT, RFC 9110 §9.3.6).
    case proxyAnswered(status: Int)
    /// Connecting failed for another reason.
    case connectionFailed(String)
    /// The TLS handshake failed or the certificate is not trusted.
    case tls(String)
    /// The connection was established, but the answer was not complete within the time.
    case timedOut
    /// The connection was reset or closed before the end.
    case connectionLost
    /// The server closed a pooled connection before it answered; a new one may work.
    case staleConnection
    /// The answer is larger than the request's ``Request/maximumBody``.
    case bodyTooLarge
    /// The answer cannot be written to the request's ``Request/destination``.
    case notStored(SystemError)
    /// The answer is not HTTP, or cannot be decompressed.
    case malformedAnswer(String)
    /// The request cannot be sent as it is; retrying is useless.
    case misconfigured(String)
    /// The client was released. A cancelled task gets `CancellationError` instead.
    case cancelled

    /// The client abandoned all running requests (``HTTPClient/giveUpAll()``).
    case givenUp
  }

  /// The progress of an exchange.
  public enum Phase: Sendable, Equatable {
    /// Nothing was sent, not even a name query.
    case preparing
    /// The name was being resolved.
    case resolving
    /// A TCP connection was being established.
    case connecting
    /// TLS, or the tunnel through a proxy, was being set up.
    case securing
    /// The request was being sent, or its answer awaited.
    case waiting
    /// The answer was being received.
    case receiving
  }

  /// The cause of the error.
  public let reason: Reason

  /// The progress of the exchange.
  public let phase: Phase

  /// The host of the URL, an IPv6 literal in brackets; empty if the URL has none.
  public let host: String

  /// The port of the URL or its scheme's default; 0 if the URL has none.
  public let port: Int

  /// Creates an error, for example for a test.
  public init(_ reason: Reason, phase: Phase = .preparing, host: String = "", port: Int = 0) {
    (self.reason, self.phase, self.host, self.port) = (reason, phase, host, port)
  }

  /// Whether any part of the request was written to a connection, so that the server may have
  /// counted it.
  public var wasSent: Bool { phase == .waiting || phase == .receiving }

  /// The evidence about the path; `nil` if there is none, as after a time-out on an old connection.
  public var evidence: PathEvidence? {
    switch reason {
    case .couldNotResolve: .notResolved
    case .connectTimedOut: .timedOut
    case .noRoute: .noRoute
    case .notPermitted: .notPermitted
    case .proxyAnswered(let status) where Response.isOfLoginPage(status): .loginPage
    case .connectionRefused, .proxyAnswered, .tls, .connectionLost, .bodyTooLarge, .notStored,
      .malformedAnswer:
      .open
    case .connectionFailed, .staleConnection, .timedOut, .misconfigured, .cancelled, .givenUp,
      .addressRefused:
      nil
    }
  }
}

/// The evidence that an exchange or its failure gives about the path to the server.
public enum PathEvidence: Sendable, CaseIterable {
  /// The server answered correctly.
  case answered
  /// The far end answered in some form, so the network must be working.
  case open
  /// The name has no address, or no name server answered.
  case notResolved
  /// Connecting timed out.
  case timedOut
  /// The kernel or a router knows no route to the host.
  case noRoute
  /// The kernel, or a packet filter, does not permit the connection.
  case notPermitted
  /// A login page answered instead of the server.
  case loginPage

  /// Whether the path is lost, as opposed to a fault of the server.
  public var isLoss: Bool {
    switch self {
    case .answered, .open: false
    case .notResolved, .timedOut, .noRoute, .notPermitted, .loginPage: true
    }
  }
}

extension TransferError: CustomStringConvertible, CustomDebugStringConvertible {
  /// One line with host, port and cause, in plain words.
  public var description: String { host.isEmpty ? words : "\(host):\(port): \(words)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The cause alone, in plain words.
  public var words: String {
    switch reason {
    case .couldNotResolve: "could not resolve the name"
    case .connectTimedOut where phase == .securing: "timed out securing the connection"
    case .connectTimedOut: "timed out connecting"
    case .connectionRefused: "connection refused"
    case .noRoute: "no route to host"
    case .notPermitted: "connecting is not permitted here"
    case .addressRefused: "its address must not be connected to"
    case .proxyAnswered(let status): "could not connect: the proxy answered \(status)"
    case .connectionFailed(let detail) where wasSent: "the exchange failed: \(detail)"
    case .connectionFailed(let detail): "could not connect: \(detail)"
    case .tls(let detail): "TLS failed: \(detail)"
    case .timedOut where phase == .receiving: "timed out in the middle of the answer"
    case .timedOut: "timed out waiting for the answer"
    case .connectionLost where phase == .receiving: "connection lost in the middle of the answer"
    case .connectionLost: "connection lost before an answer"
    case .staleConnection: "a kept connection was closed before an answer"
    case .bodyTooLarge: "the answer is too large"
    case .notStored(let error): "the answer cannot be stored: \(error)"
    case .malformedAnswer(let detail): "the answer is malformed: \(detail)"
    case .misconfigured(let detail): detail
    case .cancelled: "the client was shut down"
    case .givenUp: "given up"
    }
  }
}

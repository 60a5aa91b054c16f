/// Why a request got no answer, told so that loss of the network and faults of the server differ.
///
/// An error knows host and port, and nothing else of the URL, the token or the bodies, so that it can
/// be printed anywhere.
public struct TransferError: Error, Sendable, Equatable {
  /// What went wrong.
  public enum Reason: Sendable, Equatable {
    /// The host's (or proxy's) name has no address, or no name server answered.
    case couldNotResolve
    /// No connection (TLS included) came about within the time.
    case connectTimedOut
    /// The other side answered that nobody listens there.
    case connectionRefused
    /// The kernel or a router knows no route there.
    case noRoute
    /// The kernel, or a packet filter, does not permit the connection.
    case notPermitted
    /// Every address of the host is one that ``HTTPClient/Configuration/permitsAddress`` refuses.
    case addressRefused
    /// The proxy answered with this status when it was asked for a tunnel (CONNECT, RFC 9110 §9.3.6).
    case proxyAnswered(status: Int)
    /// The exchange failed in another manner.
    case connectionFailed(String)
    /// The TLS handshake failed or the certificate is not trusted.
    case tls(String)
    /// There was a connection, but the answer was not complete within the time.
    case timedOut
    /// The connection was reset or closed before the end.
    case connectionLost
    /// A kept connection was closed by the other side before an answer; a new one may do.
    case staleConnection
    /// The answer is larger than the request's ``Request/maximumBody``.
    case bodyTooLarge
    /// What came is not HTTP, or cannot be decompressed.
    case malformedAnswer(String)
    /// The request could not be sent as it stands; trying again is of no use.
    case misconfigured(String)
    /// The client went away. A cancelled task gets `CancellationError` instead.
    case cancelled

    /// The client was told to give up all requests under way.
    case givenUp
  }

  /// How far the exchange had come.
  public enum Phase: Sendable, Equatable {
    /// Nothing was sent, not even a look-up of the name.
    case preparing
    /// The name was being looked up.
    case resolving
    /// A TCP connection was being opened.
    case connecting
    /// TLS, or the tunnel through a proxy, was being set up.
    case securing
    /// The request was being sent, or its answer awaited.
    case waiting
    /// The answer had begun to come.
    case receiving
  }

  /// What went wrong.
  public let reason: Reason

  /// How far the exchange had come.
  public let phase: Phase

  /// The host of the URL, an IPv6 literal in brackets; empty if the URL has none.
  public let host: String

  /// The port of the URL or of its scheme; 0 if the URL has none.
  public let port: Int

  /// Makes an error, for instance for a test of what handles it.
  public init(_ reason: Reason, phase: Phase = .preparing, host: String = "", port: Int = 0) {
    self.reason = reason
    self.phase = phase
    self.host = host
    self.port = port
  }

  /// Whether any of the request was written to a connection, so that the server may have counted it.
  public var wasSent: Bool {
    switch phase {
    case .preparing, .resolving, .connecting, .securing: false
    case .waiting, .receiving: true
    }
  }

  /// What it tells about the path; `nil` for what tells nothing, as a time-out on an old connection.
  public var evidence: PathEvidence? {
    switch reason {
    case .couldNotResolve: .notResolved
    case .connectTimedOut: .timedOut
    case .noRoute: .noRoute
    case .notPermitted: .notPermitted
    case .proxyAnswered(let status) where Response.isOfLoginPage(status): .loginPage
    case .connectionRefused, .proxyAnswered, .tls, .connectionLost, .bodyTooLarge, .malformedAnswer:
      .open
    case .connectionFailed, .staleConnection, .timedOut, .misconfigured, .cancelled, .givenUp,
      .addressRefused:
      nil
    }
  }
}

/// What an exchange, or the failure of one, tells about the path to the server.
public enum PathEvidence: Sendable, CaseIterable {
  /// The server itself answered as it should.
  case answered
  /// Something at the far end answered, so that the network must be working.
  case open
  /// The name has no address, or no name server answered.
  case notResolved
  /// Nobody answered when connecting.
  case timedOut
  /// The kernel or a router knows no route there.
  case noRoute
  /// The kernel, or a packet filter, does not permit the connection.
  case notPermitted
  /// A login page answered in the server's place.
  case loginPage

  /// Whether the path is lost, and not the server at fault.
  public var isLoss: Bool {
    switch self {
    case .answered, .open: false
    case .notResolved, .timedOut, .noRoute, .notPermitted, .loginPage: true
    }
  }
}

extension TransferError: CustomStringConvertible, CustomDebugStringConvertible {
  /// One line for a person: host, port and what went wrong.
  public var description: String { host.isEmpty ? words : "\(host):\(port): \(words)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  private var words: String {
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
    case .malformedAnswer(let detail): "the answer is malformed: \(detail)"
    case .misconfigured(let detail): detail
    case .cancelled: "the client was shut down"
    case .givenUp: "given up"
    }
  }
}

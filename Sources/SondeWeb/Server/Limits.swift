/// The resources that clients may use.
public struct Limits: Sendable {
  /// The time limit for the header of a request.
  public var headerTime: Duration = .seconds(10)

  /// The minimum rate of a body in bytes per second, averaged over ``bodyTime``.
  public var bodyRate = 1024

  /// The period over which a body's rate is measured.
  public var bodyTime: Duration = .seconds(30)

  /// The time limit for a connection without a request, and for a client that reads nothing of an
  /// answer.
  public var idleTime: Duration = .seconds(60)

  /// The largest number of connections; one more closes the oldest without a session, else the
  /// oldest idle one of the user who has most.
  public var connections = 4096

  /// The largest number of connections of a user; one more closes the user's oldest idle one.
  public var connectionsOfUser = 256

  /// How long a stopping server waits for current answers.
  public var stopTime: Duration = .seconds(1)

  /// Creates the default limits.
  public init() {}
}

/// Checks a connection against the time limits; a pure value, so that tests need not wait.
struct ConnectionPace: Sendable, Equatable {
  private enum Phase: Equatable {
    /// Between requests, or before the first; since a moment.
    case idle(since: Duration)
    /// Receiving the header.
    case header(since: Duration)
    /// Receiving the body; with the number of bytes received when the current window began.
    case body(since: Duration, received: Int)
    /// Waiting for the server.
    case served
  }

  private var phase: Phase

  /// Creates the pace of a new connection, which must send the header at once.
  init(openedAt now: Duration) { phase = .header(since: now) }

  mutating func headerCame() { phase = .served }

  mutating func answerSent(at now: Duration) { phase = .idle(since: now) }

  /// `nil` if the connection is not idle.
  var idleSince: Duration? { if case .idle(let since) = phase { since } else { nil } }

  /// Handles the first byte on an idle connection.
  mutating func headerBegan(at now: Duration) { phase = .header(since: now) }

  /// Whether the client has taken too long; to be called from time to time.
  ///
  /// `now` is the time on any clock. `body` is the number of bytes received, while the client is
  /// expected to send more of the body.
  mutating func isOverdue(at now: Duration, body: Int?, limits: Limits) -> Bool {
    switch phase {
    case .idle: return false
    case .header(let since): return now - since >= limits.headerTime
    case .served, .body:
      guard let body else {
        phase = .served
        return false
      }
      guard case .body(let since, let received) = phase else {
        phase = .body(since: now, received: body)
        return false
      }
      guard now - since >= limits.bodyTime else { return false }
      phase = .body(since: now, received: body)
      let seconds = (now - since) / .seconds(1)
      return Double(body - received) < Double(limits.bodyRate) * seconds
    }
  }
}

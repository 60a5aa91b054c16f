/// What clients may use up.
public struct Limits: Sendable {
  /// How long a client may take for the header of a request.
  public var headerTime: Duration = .seconds(10)

  /// How fast a body must come, in bytes a second, on average over ``bodyTime``.
  public var bodyRate = 1024

  /// Over which time a body's rate is measured.
  public var bodyTime: Duration = .seconds(30)

  /// How long a connection may be without a request, or a client may read nothing of an answer.
  public var idleTime: Duration = .seconds(60)

  /// How many connections there may be; one more closes the oldest without a session.
  public var connections = 4096

  /// How long a server that stops waits for answers under way.
  public var stopTime: Duration = .seconds(1)

  /// The usual limits.
  public init() {}
}

/// Whether a connection has held the time that it may take; a value, so that tests need not wait.
struct Pace: Sendable, Equatable {
  private enum Phase: Equatable {
    /// Between requests, or before the first; since when.
    case idle(since: Duration)
    /// The header has begun to come.
    case header(since: Duration)
    /// The body comes; how much had come when the present window began.
    case body(since: Duration, received: Int)
    /// It is the server's turn.
    case served
  }

  private var phase: Phase

  /// A connection that has just been opened owes the header at once.
  init(openedAt now: Duration) { phase = .header(since: now) }

  /// The header is whole.
  mutating func headerCame() { phase = .served }

  /// The answer is sent.
  mutating func answerSent(at now: Duration) { phase = .idle(since: now) }

  /// Since when a connection is idle; `nil` where it is not.
  var idleSince: Duration? { if case .idle(let since) = phase { since } else { nil } }

  /// Something came on an idle connection.
  mutating func headerBegan(at now: Duration) { phase = .header(since: now) }

  /// Looks at a connection from time to time.
  ///
  /// - Parameters:
  ///   - now: The time on any clock.
  ///   - body: How much of the body has come, where the client is waited for to send more of it.
  ///   - limits: The limits.
  /// - Returns: Whether the client has taken too long.
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

/// The known sessions.
///
/// A ``Server`` looks a session up for each request of a route that requires one, and again for
/// each chunk of a saved body or a streamed answer, so the store should answer from memory.
public protocol SessionStore<Session>: Sendable {
  /// The information about a client for handlers.
  associatedtype Session: Sendable

  /// The session of a cookie's unverified token; `nil` if there is none, or it has ended.
  func session(of token: String) async -> Session?

  /// The session of a program's unverified token, sent as `Authorization: Bearer TOKEN` (RFC 6750).
  ///
  /// It is `nil` if there is none, or it has been revoked.
  func session(ofBearer token: String) async -> Session?

  /// The user of a session, by whom connections are counted and limited; `nil` if there are no users.
  func user(of session: Session) -> String?
}

extension SessionStore {
  /// Finds no session, by default.
  public func session(ofBearer token: String) async -> Session? { nil }

  /// Knows no users, by default.
  public func user(of session: Session) -> String? { nil }
}

/// A store without sessions, so that no route can require one.
public struct NoSessions: SessionStore {
  /// Creates the store.
  public init() {}

  /// Finds no session.
  public func session(of token: String) async -> Never? { nil }
}

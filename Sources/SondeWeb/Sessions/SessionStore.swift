/// Who knows which sessions there are.
///
/// A ``Server`` asks it at each request that a route demands a session for, and again at each chunk of a
/// body that is saved and of an answer that is streamed, so it should answer from memory.
public protocol SessionStore<Session>: Sendable {
  /// What a handler learns of who asks.
  associatedtype Session: Sendable

  /// The session that a cookie's token opens.
  ///
  /// - Parameter token: What the cookie says, which may be anything.
  /// - Returns: `nil` where there is none, or it has ended.
  func session(of token: String) async -> Session?

  /// What a program's token opens, which it sends as `Authorization: Bearer TOKEN` (RFC 6750).
  ///
  /// - Parameter token: What the header says, which may be anything.
  /// - Returns: `nil` where there is none, or it has been revoked.
  func session(ofBearer token: String) async -> Session?
}

extension SessionStore {
  /// There are no tokens.
  public func session(ofBearer token: String) async -> Session? { nil }
}

/// No sessions: routes that demand one cannot be made.
public struct NoSessions: SessionStore {
  /// Makes it.
  public init() {}

  /// There is none.
  public func session(of token: String) async -> Never? { nil }
}

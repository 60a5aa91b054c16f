public import SondeAccounts
public import SondeWeb

/// The sessions of accounts, identified by the tokens in cookies.
public struct AccountSessions: SessionStore {
  private let accounts: AccountStore

  /// Creates the session store of an account store.
  public init(_ accounts: AccountStore) { self.accounts = accounts }

  /// The session that belongs to a cookie's token.
  public func session(of token: String) async -> Session? {
    try? await accounts.session(of: Secret(token))
  }

  /// The id of a session's user; `nil` without accounts.
  public func user(of session: Session) -> String? { session.user?.id }
}

extension EventHub {
  /// Ends the streams of ended sessions; for the `onEnd` of an `AccountStore`.
  public func endStreams(_ end: AccessEnd) {
    for session in end.sessions { endStreams(ofSession: session) }
  }
}

extension AccountStore {
  /// Ends all sessions, for a server that requires a new login after each start.
  ///
  /// - Throws: `AccountError`.
  public func endSessions() throws(AccountError) {
    for user in try users() {
      for session in try sessions(of: user.id, limit: Self.mostSessions).items {
        try endSession(session.id, of: user.id)
      }
    }
  }
}

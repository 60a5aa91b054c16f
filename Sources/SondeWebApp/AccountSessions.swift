public import SondeAccounts
public import SondeWeb

/// The sessions of accounts, by the tokens of cookies.
public struct AccountSessions: SessionStore {
  private let accounts: AccountStore

  /// Knows the sessions of some accounts.
  public init(_ accounts: AccountStore) { self.accounts = accounts }

  /// The session that a cookie's token opens.
  public func session(of token: String) async -> Session? {
    try? await accounts.session(of: Secret(token))
  }
}

extension EventHub {
  /// Ends the streams of sessions that have ended; for the `onEnd` of an `AccountStore`.
  public func endStreams(_ end: AccessEnd) {
    for session in end.sessions { endStreams(ofSession: session) }
  }
}

extension AccountStore {
  /// Ends every session of everybody, for a server that asks to log in anew at each start.
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

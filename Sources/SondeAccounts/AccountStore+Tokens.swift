import SondeSQLite
import Synchronization

extension AccountStore {
  /// Creates a token for a program of a user; `user` is `nil` without accounts.
  ///
  /// A name has 1 to 200 characters, no control characters. The secret cannot be retrieved later.
  /// - Throws: ``AccountError``: of the kinds `invalidName`, `notFound` for an unknown or disabled
  ///   user, `tooMany` and `storage`.
  public func makeToken(named name: String, for user: String?) throws(AccountError) -> Issued<Token>
  {
    guard (1...200).contains(name.count), !name.unicodeScalars.contains(where: \.isControl) else {
      throw .invalidName
    }
    return try transaction { tables in
      let owner = try owner(user, in: tables)
      guard try tables.access.countTokens(of: user) < Int64(Self.mostTokens) else {
        throw AccountError.tooMany
      }
      let secret = Secret.random(prefix: tokenPrefix)
      let token = Token(id: randomDigits(bytes: 16), name: name, user: owner, createdAt: now)
      try tables.access.insert(token, Fingerprint(secret))
      return Issued(item: token, secret: secret)
    }
  }

  private func owner(_ user: String?, in tables: Tables) throws -> User? {
    let owner = try user.flatMap { try tables.users.find(id: $0)?.user }
    let isRight = membership.hasAccounts ? owner?.isDisabled == false : user == nil
    guard isRight else { throw AccountError.notFound }
    return owner
  }

  /// The token of a secret; `nil` if there is none or it was revoked.
  ///
  /// A token that was found before is cached and needs no access to the database.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  public nonisolated func token(of secret: Secret) async throws(AccountError) -> Token? {
    let key = Fingerprint(secret)
    if let token = known.withLock({ $0.tokens[key] }) { return token }
    return try await find(key)
  }

  private func find(_ key: Fingerprint) throws(AccountError) -> Token? {
    let token = try read { tables throws(SQLiteError) in try tables.access.token(of: key) }
    // On this thread, on which all tokens end.
    if let token { known.withLock { $0.add(token, key) } }
    return token
  }

  /// A page of a user's tokens, newest first; `user` is `nil` without accounts.
  ///
  /// It has at most `limit` tokens, 1 to 1000, behind the previous page's ``Listing/next``.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  public func tokens(
    of user: String?,
    before number: Int64? = nil,
    limit: Int = 100
  ) throws(AccountError) -> Listing<Token> {
    try read { tables throws(SQLiteError) in
      try tables.access.tokens(of: user, before: number ?? .max, limit: limit)
    }
  }

  /// Revokes a token of a user; `user` is `nil` without accounts.
  ///
  /// - Throws: ``AccountError``: of the kinds `notFound`, also if it is another user's, and
  ///   `storage`.
  public func revokeToken(_ id: String, of user: String?) throws(AccountError) {
    try change { tables, end in
      let ended = try tables.access.revokeToken(id, of: user)
      guard !ended.isEmpty else { throw AccountError.notFound }
      end.tokens += ended
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}

import SondeSQLite

// The administration of accounts by the operator of the server.
extension AccountStore {
  /// All users, ordered by email.
  ///
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  public func users() throws(AccountError) -> [User] {
    try read { tables throws(SQLiteError) in try tables.users.all() }
  }

  /// Prevents a user from logging in; their sessions, tokens and links end.
  ///
  /// - Throws: ``AccountError``: of the kinds `notFound` and `storage`.
  public func disable(_ email: String) throws(AccountError) {
    try change { tables, end in
      let user = try Self.find(email, in: tables)
      try tables.users.setDisabled(true, user.id)
      try Self.endAll(of: user, in: tables, &end)
    }
  }

  /// Lets a disabled user log in again, with the same password.
  ///
  /// - Throws: ``AccountError``: of the kinds `notFound` and `storage`.
  public func enable(_ email: String) throws(AccountError) {
    try transaction { tables in
      try tables.users.setDisabled(false, Self.find(email, in: tables).id)
    }
  }

  /// Removes an account and returns its user, whose other data can then be removed.
  ///
  /// Its sessions, tokens and links end.
  /// - Throws: ``AccountError``: of the kinds `notFound` and `storage`.
  @discardableResult
  public func remove(_ email: String) throws(AccountError) -> User {
    try change { tables, end in
      let user = try Self.find(email, in: tables)
      try Self.endAll(of: user, in: tables, &end)
      try tables.users.remove(user.id)
      return user
    }
  }

  /// Removes a user's password, and creates a link to set a new one within 24 hours.
  ///
  /// Their sessions, tokens and earlier links end.
  /// - Throws: ``AccountError``: of the kinds `notFound` and `storage`.
  public func reset(_ email: String) throws(AccountError) -> Issued<OneTimeLink> {
    try change { tables, end in
      let user = try Self.find(email, in: tables)
      try tables.users.setPassword(nil, of: user.id)
      try Self.endAll(of: user, in: tables, &end)
      return try issue(.reset, of: user.id, for: Self.resetLifetime, in: tables)
    }
  }

  /// Sets a password by the secret of a reset link, which is used up only on success.
  ///
  /// - Throws: ``AccountError``: of the kinds `invalidPassword`, `commonPassword`, `linkUsed`, `tooSoon`, `busy`,
  ///   `cancelled` and `storage`.
  public nonisolated func setPassword(
    by link: Secret,
    _ password: Secret,
    from address: ClientAddress
  ) async throws(AccountError) {
    try PasswordHash.checkLength(of: password)
    let key = Fingerprint(link)
    try await slowed(.init(account: nil, address: address)) { _ throws(AccountError) in
      try PasswordHash.check(password, of: await emailOfReset(key))
      // The holder of a link is trusted.
      let hash = try await hash(password, rank: 0)
      try await setPassword(by: key, hash)
    }
  }

  private func emailOfReset(_ key: Fingerprint) throws(AccountError) -> Email {
    try transaction { tables in
      guard let row = try tables.users.find(id: findReset(key, in: tables)) else {
        throw AccountError.linkUsed
      }
      return row.user.email
    }
  }

  private func findReset(_ key: Fingerprint, in tables: Tables) throws -> String {
    guard let link = try tables.links.find(key, now), link.purpose == .reset, let user = link.user
    else { throw AccountError.linkUsed }
    return user
  }

  private func setPassword(by key: Fingerprint, _ hash: PasswordHash) throws(AccountError) {
    try transaction { tables in
      let user = try findReset(key, in: tables)
      try tables.users.setPassword(hash, of: user)
      try tables.links.remove(key)
    }
  }

  private static func find(_ email: String, in tables: Tables) throws -> User {
    guard let email = Email(email), let row = try tables.users.find(email: email.text) else {
      throw AccountError.notFound
    }
    return row.user
  }

  private static func endAll(
    of user: User,
    in tables: Tables,
    _ end: inout AccessEnd
  ) throws(SQLiteError) {
    end.sessions += try tables.access.endSessions(of: user.id, but: nil)
    end.tokens += try tables.access.revokeTokens(of: user.id)
    try tables.links.remove(of: user.id)
  }
}

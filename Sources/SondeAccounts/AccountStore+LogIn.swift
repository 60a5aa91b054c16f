import SondeSQLite
import Synchronization

extension AccountStore {
  /// Opens a session by email and password, both as typed.
  ///
  /// A wrong email takes as long as a wrong password. Passwords are hashed one at a time. The
  /// browser sends the returned secret with each request; the session of its `former` secret ends.
  /// - Throws: ``AccountError``: of the kinds `invalidCredentials`, `tooSoon`, `busy`, `cancelled`
  ///   and `storage`.
  public nonisolated func logIn(
    email: String,
    password: Secret,
    from address: ClientAddress,
    endingFormer former: Secret? = nil
  ) async throws(AccountError) -> Issued<Session> {
    let known = Email(email)
    let mark = AccountMark(known?.text ?? email)
    return try await slowed(.init(account: mark, address: address)) { rank throws(AccountError) in
      let row = try await findUser(known)
      guard try await fits(password, row, rank), let row else {
        throw .invalidCredentials
      }
      return try await openSession(of: row, endingFormer: former)
    }
  }

  /// Changes the password of a session's user; their other sessions and their reset links end.
  ///
  /// The session itself remains valid, and so do their tokens unless `revokesTokens` is set.
  /// - Throws: ``AccountError``: of the kinds `invalidPassword`, `commonPassword`,
  ///   `invalidCredentials` (nothing ends), `notFound` without accounts, `tooSoon`, `busy`, `cancelled` and `storage`.
  public nonisolated func changePassword(
    of session: Session,
    current: Secret,
    new: Secret,
    revokesTokens: Bool = false,
    from address: ClientAddress
  ) async throws(AccountError) {
    guard let email = session.user?.email else { throw .notFound }
    try PasswordHash.check(new, of: email)
    let mark = AccountMark(email.text)
    try await slowed(.init(account: mark, address: address)) { rank throws(AccountError) in
      let row = try await findUser(email)
      guard try await fits(current, row, rank), let row else {
        throw .invalidCredentials
      }
      let hash = try await hash(new, rank: 0)
      try await setPassword(hash, of: row, keeping: session, revokesTokens)
    }
  }

  /// Runs an attempt that uses a password or a link, or reveals whether an account exists, unless
  /// too many have failed.
  nonisolated func slowed<R>(
    _ attempt: LogInThrottle.Attempt,
    _ body: (_ rank: Int) async throws(AccountError) -> R
  ) async throws(AccountError) -> R {
    let rank: Int
    switch throttle.withLock({ $0.admit(attempt, clock.steady()) }) {
    case .refused(let wait): throw .tooSoon(retryAfter: wait)
    case .admitted(let admitted): rank = admitted
    }
    do throws(AccountError) {
      let result = try await body(rank)
      throttle.withLock { $0.end(attempt, .succeeded, clock.steady()) }
      return result
    } catch {
      let outcome: LogInThrottle.Outcome = error.isFailedTry ? .failed : .abandoned
      throttle.withLock { $0.end(attempt, outcome, clock.steady()) }
      throw error
    }
  }

  /// Whether a password is a user's; also hashes it if there is no user, so that both take equally
  /// long.
  private nonisolated func fits(
    _ password: Secret,
    _ row: UserTable.Row?,
    _ rank: Int
  ) async throws(AccountError) -> Bool {
    let hash = row?.password ?? nothing
    return try await hashing.perform(rank: rank) { () throws(AccountError) in
      try hash.fits(password)
    }
  }

  nonisolated func hash(_ password: Secret, rank: Int) async throws(AccountError) -> PasswordHash {
    let cost = cost
    return try await hashing.perform(rank: rank) { () throws(AccountError) in
      try PasswordHash(password, cost)
    }
  }

  private func findUser(_ email: Email?) throws(AccountError) -> UserTable.Row? {
    // Checked in any case, so that it always takes equally long.
    try read { tables throws(SQLiteError) in try tables.users.find(email: email?.text ?? "") }
  }

  private func openSession(
    of row: UserTable.Row,
    endingFormer former: Secret?
  ) throws(AccountError) -> Issued<Session> {
    try change { tables, end in
      let user = try Self.check(row, in: tables)
      return try begin(for: user, endingFormer: former, in: tables, &end)
    }
  }

  private func setPassword(
    _ password: PasswordHash,
    of row: UserTable.Row,
    keeping session: Session,
    _ revokesTokens: Bool
  ) throws(AccountError) {
    try change { tables, end in
      let user = try Self.check(row, in: tables)
      try tables.users.setPassword(password, of: user.id)
      try tables.links.remove(of: user.id)
      end.sessions += try tables.access.endSessions(of: user.id, but: session.id)
      if revokesTokens { end.tokens += try tables.access.revokeTokens(of: user.id) }
    }
  }

  /// Ensures that a user has not changed since their password was compared.
  private static func check(_ row: UserTable.Row, in tables: Tables) throws -> User {
    guard let current = try tables.users.find(id: row.user.id), !current.user.isDisabled,
      current.password == row.password
    else { throw AccountError.invalidCredentials }
    return current.user
  }
}

extension AccountError {
  /// Whether the attempt guessed wrong, or revealed that an account exists.
  fileprivate var isFailedTry: Bool {
    [.invalidCredentials, .userExists, .linkUsed, .invitationNeeded].contains(self)
  }
}

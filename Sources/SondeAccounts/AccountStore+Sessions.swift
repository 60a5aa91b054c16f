import SondeSQLite
import Synchronization

extension AccountStore {
  /// Opens a session by a one-time link, which is used up; only without accounts.
  ///
  /// The browser sends the secret with each request; the session of its `former` secret ends.
  /// - Throws: ``AccountError``: of the kinds `linkUsed`, `tooSoon` and `storage`.
  public nonisolated func openSession(
    by link: Secret,
    from address: ClientAddress,
    endingFormer former: Secret? = nil
  ) async throws(AccountError) -> Issued<Session> {
    try await slowed(.init(account: nil, address: address)) { _ throws(AccountError) in
      try await openSession(by: Fingerprint(link), endingFormer: former)
    }
  }

  private func openSession(
    by key: Fingerprint,
    endingFormer former: Secret?
  ) throws(AccountError) -> Issued<Session> {
    try change { tables, end in
      guard membership == .alone, try tables.links.find(key, now)?.purpose == .open else {
        throw AccountError.linkUsed
      }
      try tables.links.remove(key)
      return try begin(for: nil, endingFormer: former, in: tables, &end)
    }
  }

  func begin(
    for user: User?,
    endingFormer former: Secret?,
    in tables: Tables,
    _ end: inout AccessEnd
  ) throws(SQLiteError) -> Issued<Session> {
    if let former { end.sessions += try tables.access.endSession(of: Fingerprint(former)) }
    let secret = Secret.random()
    let session = Session(
      id: randomDigits(bytes: 16),
      user: user,
      createdAt: now,
      expiresAt: now + Self.sessionLifetime
    )
    try tables.access.insert(session, Fingerprint(secret))
    end.sessions += try tables.access.endSessions(of: user?.id, beyond: Int64(Self.mostSessions))
    return Issued(item: session, secret: secret)
  }

  /// The session of a secret; `nil` if there is none or it has ended.
  ///
  /// A session that was found before is cached and needs no access to the database.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  public nonisolated func session(of secret: Secret) async throws(AccountError) -> Session? {
    let key = Fingerprint(secret)
    let (met, isEnded) = known.withLock { ($0.sessions[key], $0.ended.contains(key)) }
    if isEnded { return nil }
    guard let session = met else { return try await find(key) }
    return session.expiresAt > now ? session : nil
  }

  private func find(_ key: Fingerprint) throws(AccountError) -> Session? {
    let now = now
    let session = try read { tables throws(SQLiteError) in
      try tables.access.session(of: key, now)
    }
    // On this thread, on which all sessions end.
    if let session { known.withLock { $0.add(session, key) } }
    return session
  }

  /// A page of a user's sessions, newest first; `user` is `nil` without accounts.
  ///
  /// It has at most `limit` sessions, 1 to 1000, behind the previous page's ``Listing/next``.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  public func sessions(
    of user: String?,
    before number: Int64? = nil,
    limit: Int = 100
  ) throws(AccountError) -> Listing<Session> {
    let now = now
    return try read { tables throws(SQLiteError) in
      try tables.access.sessions(of: user, before: number ?? .max, limit: limit, now)
    }
  }

  /// Ends the session of a secret, if there is one.
  ///
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``; the session has ended nevertheless,
  ///   but returns when the store is opened again, unless a later change is written first.
  public func endSession(of secret: Secret) throws(AccountError) {
    let key = Fingerprint(secret)
    let id = known.withLock { known in
      known.ended.insert(key)
      return known.sessions[key]?.id
    }
    do throws(AccountError) {
      // Also removes those that ended before without being written.
      try change { _, _ in }
    } catch {
      if let id { onEnd(AccessEnd(sessions: [id])) }
      throw error
    }
  }

  /// Ends a session of a user; `user` is `nil` without accounts.
  ///
  /// - Throws: ``AccountError``: of the kinds `notFound`, also if it is another user's, and
  ///   `storage`.
  public func endSession(_ id: String, of user: String?) throws(AccountError) {
    try change { tables, end in
      let ended = try tables.access.endSession(id, of: user)
      guard !ended.isEmpty else { throw AccountError.notFound }
      end.sessions += ended
    }
  }

  /// Ends all other sessions of a session's user.
  ///
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  public func endOtherSessions(than session: Session) throws(AccountError) {
    try change { tables, end in
      end.sessions += try tables.access.endSessions(of: session.user?.id, but: session.id)
    }
  }
}

import SondeSQLite
import Synchronization

extension AccountStore {
  /// Creates an account without logging in.
  ///
  /// The `invitation` is the secret of an invitation or of the admin's one-time link. It is used up
  /// only if the account is created.
  /// - Throws: ``AccountError``: of the kinds `invalidEmail`, `invalidPassword`,
  ///   `commonPassword`, `invitationNeeded`, `linkUsed`, `userExists`, `forbidden` without accounts, `tooSoon`,
  ///   `busy`, `cancelled` and `storage`.
  public nonisolated func register(
    email: String,
    password: Secret,
    invitation: Secret? = nil,
    from address: ClientAddress
  ) async throws(AccountError) -> User {
    guard let email = Email(email) else { throw .invalidEmail }
    try PasswordHash.check(password, of: email)
    let invitation = invitation.map(Fingerprint.init)
    let rank = rank(of: email, from: address)
    return try await slowed(.init(account: nil, address: address)) { _ throws(AccountError) in
      try await register(email, password, rank, by: invitation, from: address)
    }
  }

  private nonisolated func register(
    _ email: Email,
    _ password: Secret,
    _ rank: Int,
    by invitation: Fingerprint?,
    from address: ClientAddress
  ) async throws(AccountError) -> User {
    try await checkRegistration(of: email, by: invitation)
    if let wait = registrations.withLock({ $0.admit(address, clock.steady()) }) {
      throw .tooSoon(retryAfter: wait)
    }
    var isRegistered = false
    defer { registrations.withLock { $0.end(address, isRegistered: isRegistered, clock.steady()) } }
    let hash = try await hash(password, rank: rank)
    let user = try await insert(email, hash, by: invitation)
    isRegistered = true
    return user
  }

  /// Creates an invitation, by which one person may register within 7 days.
  ///
  /// The ID `user` is that of the inviting admin; `nil` for the operator of the server.
  /// - Throws: ``AccountError``: of the kinds `forbidden`, `noAdmin` and `storage`.
  public func invite(by user: String? = nil) throws(AccountError) -> Issued<OneTimeLink> {
    try change { tables, _ in
      guard membership == .invited || membership == .open else { throw AccountError.forbidden }
      if let user {
        let inviter = try tables.users.find(id: user)?.user
        guard let inviter, inviter.isAdmin, !inviter.isDisabled else {
          throw AccountError.forbidden
        }
      }
      guard try tables.users.hasAdmin() else { throw AccountError.noAdmin }
      return try issue(.invitation, of: user, for: Self.invitationLifetime, in: tables)
    }
  }

  /// Creates a link for the operator of the server, which is valid for 10 minutes.
  ///
  /// Without accounts it opens a session (``openSession(by:from:endingFormer:)``); with accounts it
  /// registers the admin (``register(email:password:invitation:from:)``).
  /// - Throws: ``AccountError``: of the kinds `adminExists`, `forbidden` if there can be no admin,
  ///   and `storage`.
  public func makeOneTimeLink() throws(AccountError) -> Issued<OneTimeLink> {
    try change { tables, _ in
      switch membership {
      case .alone: return try issue(.open, of: nil, for: Self.linkLifetime, in: tables)
      case .equals: throw AccountError.forbidden
      case .invited, .open:
        guard try !tables.users.hasAdmin() else { throw AccountError.adminExists }
        return try issue(.admin, of: nil, for: Self.linkLifetime, in: tables)
      }
    }
  }

  func issue(
    _ purpose: LinkTable.Purpose,
    of user: String?,
    for lifetime: Duration,
    in tables: Tables
  ) throws(SQLiteError) -> Issued<OneTimeLink> {
    let (secret, end) = (Secret.random(), now + lifetime)
    try tables.links.insert(Fingerprint(secret), purpose, of: user, until: end)
    return Issued(item: OneTimeLink(expiresAt: end), secret: secret)
  }

  /// The rank at which the password of a new account is hashed.
  private nonisolated func rank(of email: Email, from address: ClientAddress) -> Int {
    let attempt = LogInThrottle.Attempt(account: AccountMark(email.text), address: address)
    return throttle.withLock { $0.rank(of: attempt, clock.steady()) }
  }

  private func checkRegistration(
    of email: Email,
    by invitation: Fingerprint?
  ) throws(AccountError) {
    try transaction { tables in _ = try checkRegistration(of: email, by: invitation, in: tables) }
  }

  /// - Returns: Whether the account becomes the admin's.
  private func checkRegistration(
    of email: Email,
    by invitation: Fingerprint?,
    in tables: Tables
  ) throws -> Bool {
    guard membership.hasAccounts else { throw AccountError.forbidden }
    let isAdmin = try isAdmin(by: invitation, in: tables)
    guard try tables.users.find(email: email.text) == nil else { throw AccountError.userExists }
    return isAdmin
  }

  private func isAdmin(by invitation: Fingerprint?, in tables: Tables) throws -> Bool {
    let hasAdmin = try tables.users.hasAdmin()
    guard let invitation else {
      let isFree = membership == .equals || membership == .open && hasAdmin
      guard isFree else { throw AccountError.invitationNeeded }
      return false
    }
    switch try tables.links.find(invitation, now)?.purpose {
    case .invitation: return false
    case .admin where !hasAdmin: return true
    case .admin, .open, .reset, nil: throw AccountError.linkUsed
    }
  }

  private func insert(
    _ email: Email,
    _ password: PasswordHash,
    by invitation: Fingerprint?
  ) throws(AccountError) -> User {
    try change { tables, _ in
      let user = User(
        id: randomDigits(bytes: 16),
        email: email,
        isAdmin: try checkRegistration(of: email, by: invitation, in: tables),
        isDisabled: false,
        createdAt: now
      )
      try tables.users.insert(user, password)
      if let invitation { try tables.links.remove(invitation) }
      if user.isAdmin { try tables.links.remove(.admin) }
      return user
    }
  }
}

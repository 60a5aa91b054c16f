import SondeAccounts
import SondeDashboard
import SondeRecords
import SondeSystem
import SondeWeb

extension DashboardAPI {
  /// `GET /users`: the accounts, the newest first, and what each uses.
  func users(_ request: Request, _: Session) async throws -> Response {
    let day = Timestamp(milliseconds: Timestamp.now.milliseconds - 86_400_000)
    let (lookups, scans) = (try await core.state.lookups(since: day), await core.scans.use)
    let (connections, streams) = (connections(), events.streamsOfUsers)
    let items = try await accounts.users().sorted { $0.createdAt > $1.createdAt }.map { user in
      var object = JSONObject()
      object.add("id", user.id)
      object.add("email", "\(user.email)")
      object.add("admin", user.isAdmin)
      object.add("disabled", user.isDisabled)
      object.add("created_at", moment: user.createdAt)
      object.add("lookups", lookups[user.id] ?? 0)
      object.add("scans", scans[user.id]?.scans ?? 0)
      object.add("bytes", scans[user.id]?.bytes ?? 0)
      object.add("connections", connections[user.id] ?? 0)
      object.add("streams", streams[user.id] ?? 0)
      return object.bytes
    }
    return try request.list(items)
  }

  /// `POST /invitations`: creates a link by which one person may register.
  func invite(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    let invitation = try await accounts.invite(by: session.user?.id)
    var object = JSONObject()
    object.add("link", OneTimePurpose.invitation.link(invitation.secret, on: request.server))
    object.add("expires_at", moment: invitation.item.expiresAt)
    return .json(object.bytes, status: 201)
  }

  /// `POST /password`: changes the user's own; ends other sessions and, on request, tokens.
  func changePassword(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    let members = try await request.members("current", "new", "revoke_tokens")
    let revokesTokens = try members.optionalBoolean("revoke_tokens") ?? false
    try await accounts.changePassword(
      of: session,
      current: Secret(try members.string("current")),
      new: Secret(try members.string("new")),
      revokesTokens: revokesTokens,
      from: ClientAddress(text: request.client)
    )
    if revokesTokens { core.hub.publish(.deleted(.token, nil, of: session.owner)) }
    return .empty
  }

  /// `POST /reset`: sets a password by a reset link.
  func setPassword(_ request: Request) async throws -> Response {
    try request.query.allow()
    let members = try await request.members("reset", "password")
    try await accounts.setPassword(
      by: Secret(try members.string("reset")),
      Secret(try members.string("password")),
      from: ClientAddress(text: request.client)
    )
    return .empty
  }

  /// `GET /sessions`: the user's sessions, the newest first.
  func sessions(_ request: Request, _ session: Session) async throws -> Response {
    let (before, limit) = try request.query.page()
    let page = try await accounts.sessions(of: session.user?.id, before: before, limit: limit)
    let items = page.items.map { item in
      var object = JSONObject()
      object.add("id", item.id)
      object.add("created_at", moment: item.createdAt)
      object.add("expires_at", moment: item.expiresAt)
      object.add("current", item.id == session.id)
      return object.bytes
    }
    return .list(items, next: page.next.map { "\($0)" })
  }

  /// `DELETE /sessions/{id}`.
  func endOneSession(_ request: Request, _ session: Session) async throws -> Response {
    try await request.withoutContent()
    try await accounts.endSession(request.id(), of: session.user?.id)
    return .empty
  }

  /// `GET /tokens`: the user's tokens, the newest first.
  func tokens(_ request: Request, _ session: Session) async throws -> Response {
    let (before, limit) = try request.query.page()
    let page = try await accounts.tokens(of: session.user?.id, before: before, limit: limit)
    return .list(page.items.map { $0.json().bytes }, next: page.next.map { "\($0)" })
  }

  /// `POST /tokens`: creates a token, whose text is shown only once.
  func makeToken(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    let name = try await request.members("name").string("name")
    let token = try await accounts.makeToken(named: name, for: session.user?.id)
    return .json(token.item.json(token.secret).bytes, status: 201)
  }

  /// `DELETE /tokens/{id}`.
  func revokeToken(_ request: Request, _ session: Session) async throws -> Response {
    try await request.withoutContent()
    let id = try request.id()
    try await accounts.revokeToken(id, of: session.user?.id)
    core.hub.publish(.deleted(.token, id, of: session.owner))
    return .empty
  }
}

/// The purpose of a link, by which the page distinguishes them.
enum OneTimePurpose: String {
  /// Opens a session; with accounts, registers the admin.
  case open
  case invitation, reset

  /// The link; the part after `#` is not sent to servers, and so not logged.
  func link(_ secret: Secret, on server: PublicURL) -> String {
    "\(server)#\(rawValue)=\(secret.text)"
  }
}

extension Token {
  /// The token as returned by the API, with its secret if it is new.
  fileprivate func json(_ secret: Secret? = nil) -> JSONObject {
    var object = JSONObject()
    object.add("id", id)
    object.add("name", name)
    if let secret { object.add("token", secret.text) }
    object.add("created_at", moment: createdAt)
    return object
  }
}

extension JSONObject {
  /// Adds a time, given since 1970 UTC.
  mutating func add(_ name: String, moment: Duration) {
    add(name, Timestamp(milliseconds: moment.milliseconds).withMilliseconds)
  }
}

import Accounts
import Records
import Web

extension DashboardAPI {
  /// `POST /session`: opens a session by a one-time link or a password, and ends the one that the
  /// browser had.
  func openSession(_ request: Request) async throws -> Response {
    try request.query.allow()
    let opened = try await open(try await request.members("link", "email", "password"), request)
    return .json(opened.item.json.bytes, status: 201)
      .with(
        "Set-Cookie",
        request.sessionCookie.setting(opened.secret.text, for: AccountStore.sessionLifetime)
      )
  }

  private func open(_ members: JSONMembers, _ request: Request) async throws -> Issued<Session> {
    let former = request.sessionToken.map { Secret($0) }
    guard let link = try members.optionalString("link") else {
      return try await accounts.logIn(
        email: try members.string("email"),
        password: Secret(try members.string("password")),
        from: ClientAddress(text: request.client),
        endingFormer: former
      )
    }
    guard !members.has("email"), !members.has("password") else {
      throw Problem.invalid("the body must have either “link”, or “email” and “password”")
    }
    return try await accounts.openSession(by: Secret(link), endingFormer: former)
  }

  /// `GET /session`.
  func showSession(_ request: Request, _ session: Session) throws -> Response {
    try request.query.allow()
    return .json(session.json.bytes)
  }

  /// `DELETE /session`: ends it, and its streams.
  func endSession(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    if let token = request.sessionToken { try await accounts.endSession(of: Secret(token)) }
    return .empty.with("Set-Cookie", request.sessionCookie.clearing)
  }

  /// `GET /sessions`: those of the user, the newest first.
  func sessions(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow("before", "limit")
    let page = try await accounts.sessions(
      of: session.user?.id,
      before: try request.query.before().map(Int64.init),
      limit: try request.query.limit()
    )
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
    try request.query.allow()
    try await accounts.endSession(request.id(), of: session.user?.id)
    return .empty
  }
}

extension Session {
  /// The session as the API tells it.
  fileprivate var json: JSONObject {
    var object = JSONObject()
    if let user {
      var person = JSONObject()
      person.add("id", user.id)
      person.add("email", user.email.text)
      person.add("admin", user.isAdmin)
      object.add("user", person)
    } else {
      object.addNull("user")
    }
    object.add("expires_at", moment: expiresAt)
    return object
  }
}

extension JSONObject {
  /// Adds a moment, since 1970 UTC.
  mutating func add(_ name: String, moment: Duration) {
    add(name, Timestamp(milliseconds: moment.milliseconds).withMilliseconds)
  }
}

public import SondeAccounts
import SondeSystem
public import SondeWeb

/// The API for logging in, by a one-time link or by email and password, and for logging out.
public struct AccountAPI: Sendable {
  private let accounts: AccountStore
  private let warn: @Sendable (String) -> Void

  /// Creates the API of an account store; `warn` warns the operator of the server.
  public init(_ accounts: AccountStore, warn: @escaping @Sendable (String) -> Void = { _ in }) {
    (self.accounts, self.warn) = (accounts, warn)
  }

  /// Adds `POST`, `GET` and `DELETE` of `/api/v1/session`, and `POST` of `/api/v1/users`.
  public func add(to routes: inout Routes<Session>) {
    routes.on(.post, "/api/v1/session", openSession)
    routes.on(.get, "/api/v1/session", showSession)
    routes.on(.delete, "/api/v1/session", endSession)
    routes.on(.post, "/api/v1/users", register)
  }

  /// `POST /session`: opens a session by a one-time link or a password, and ends the browser's
  /// previous one.
  ///
  /// - Throws: `Problem`, `AccountError`.
  public func openSession(_ request: Request) async throws -> Response {
    try request.query.allow()
    let members = try await request.members("link", "email", "password")
    let opened = try await open(members, request)
    let cookie = request.sessionCookie
      .setting(opened.secret.text, for: AccountStore.sessionLifetime)
    return .json(opened.item.json, status: 201).with("Set-Cookie", cookie)
  }

  private func open(_ members: JSONMembers, _ request: Request) async throws -> Issued<Session> {
    let former = request.sessionToken.map { Secret($0) }
    let address = ClientAddress(text: request.client)
    guard let link = try members.optionalString("link") else {
      return try await accounts.logIn(
        email: try members.string("email"),
        password: Secret(try members.string("password")),
        from: address,
        endingFormer: former
      )
    }
    guard !members.has("email"), !members.has("password") else {
      throw Problem.invalid("the body must have either “link”, or “email” and “password”")
    }
    return try await accounts.openSession(by: Secret(link), from: address, endingFormer: former)
  }

  /// `GET /session`.
  public func showSession(_ request: Request, _ session: Session) throws -> Response {
    try request.query.allow()
    return .json(session.json)
  }

  /// `DELETE /session`.
  public func endSession(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    try await request.withoutBody()
    if let token = request.sessionToken {
      do throws(AccountError) {
        try await accounts.endSession(of: Secret(token))
      } catch {
        // The session has ended nevertheless.
        warn("that a session has ended is not kept: \(error)")
      }
    }
    return .empty.with("Set-Cookie", request.sessionCookie.clearing)
  }

  /// `POST /users`: creates an account without logging in.
  ///
  /// - Throws: `Problem`, `AccountError`.
  public func register(_ request: Request) async throws -> Response {
    try request.query.allow()
    let members = try await request.members("email", "password", "invitation")
    let user = try await accounts.register(
      email: try members.string("email"),
      password: Secret(try members.string("password")),
      invitation: try members.optionalString("invitation").map { Secret($0) },
      from: ClientAddress(text: request.client)
    )
    return .json(["id": .string(user.id), "email": .string(user.email.text)], status: 201)
  }
}

extension Session {
  /// The session in the API's format.
  var json: JSON {
    let person: JSON? = user.map { user in
      [
        "id": .string(user.id), "email": .string(user.email.text), "admin": .bool(user.isAdmin),
      ]
    }
    let end = Timestamp(milliseconds: Int64(expiresAt / .milliseconds(1)))
    return ["user": person ?? .null, "expires_at": .string(end.withMilliseconds)]
  }
}

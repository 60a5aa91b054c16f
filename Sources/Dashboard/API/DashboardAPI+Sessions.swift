import Accounts
import Records
import Web

/// Knows the sessions by the cookies' tokens.
struct DashboardSessions: SessionStore {
  let accounts: AccountStore

  func session(of token: String) async -> Session? {
    try? await accounts.session(of: Secret(token))
  }
}

extension Session {
  /// Whose scans and look-ups it sees; alone there is but one user, without a name.
  var owner: String { user?.id ?? "" }

  /// The session as the API tells it.
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.addNull("user")
    object.add("expires_at", Timestamp(milliseconds: expiresAt.milliseconds).withMilliseconds)
    return object
  }
}

extension DashboardAPI {
  /// `POST /session`: opens a session by a one-time link, and ends the one that the browser had.
  func openSession(_ request: Request) async throws -> Response {
    try await tellingProblems {
      try request.query.allow()
      let link = try await request.members("link").string("link")
      let former = request.sessionToken.map { Secret($0) }
      let opened = try await accounts.openSession(by: Secret(link), endingFormer: former)
      return .json(opened.item.json.bytes, status: 201)
        .with(
          "Set-Cookie",
          request.sessionCookie.setting(opened.secret.text, for: AccountStore.sessionLifetime)
        )
    }
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
}

extension AccountError {
  /// As the HTTP API tells it; `nil` for what is the server's own fault.
  var problem: Problem? {
    switch self {
    case .linkUsed:
      Problem("link-used", status: 410, title: "Link used or expired", detail: "\(self)")
    case .storage(let reason, isDiskFull: true): .disk(reason)
    default: nil
    }
  }
}

import SondeAccounts
import SondeRecords
import SondeSystem
import SondeWeb

extension DashboardAPI {
  /// `GET /sessions`: the user's sessions, the newest first.
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
    try await request.withoutContent()
    try await accounts.endSession(request.id(), of: session.user?.id)
    return .empty
  }
}

extension JSONObject {
  /// Adds a time, given since 1970 UTC.
  mutating func add(_ name: String, moment: Duration) {
    add(name, Timestamp(milliseconds: moment.milliseconds).withMilliseconds)
  }
}

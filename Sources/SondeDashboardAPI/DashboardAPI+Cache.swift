import SondeAccounts
import SondeDashboard
import SondeRecords
import SondeStore
import SondeSystem
import SondeWeb

extension DashboardAPI {
  /// `GET /cache`: the newest answers first.
  func searchCache(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow("search", "before", "limit")
    let (items, next) = try await cache.answers(
      with: try request.query.searched("search"),
      before: try request.query.before(),
      limit: try request.query.limit()
    )
    return .list(items, next: next.map { "\($0)" })
  }

  /// `DELETE /cache`.
  func clearCache(_ request: Request, _ session: Session) async throws -> Response {
    try await request.withoutContent()
    try await cache.clear()
    return .empty
  }

  /// `GET /cache/stats`.
  func cacheStatistics(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    let statistics = try await cache.statistics()
    var object = JSONObject()
    object.add("count", statistics.answers)
    object.add("bytes", statistics.bytes)
    object.add("oldest", optional: statistics.oldest.map { Timestamp(seconds: $0).wholeSeconds })
    return .json(object.bytes)
  }

  /// `GET /cache/{ip}`: the newest answer of an address.
  func cachedAnswer(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    guard let answer = try await cache.answer(of: request.address()) else { throw Problem.notFound }
    return .json(answer)
  }

  /// `DELETE /cache/{ip}`.
  func deleteCachedAnswer(_ request: Request, _ session: Session) async throws -> Response {
    try await request.withoutContent()
    guard try await cache.delete(request.address()) else { throw Problem.notFound }
    return .empty
  }
}

import Accounts
import Records
import Web

/// The HTTP API: what is asked at which path, and who answers it.
struct DashboardAPI: Sendable {
  let core: DashboardCore
  let accounts: AccountStore
  let cache: CacheDesk
  let events: Web.EventHub

  /// The longest upload, in bytes.
  let longestUpload: Int

  /// Adds every route, in the order of the description of the API.
  func add(to routes: inout Routes<Session>) {
    routes.on(.get, "/healthz") { _ in .text("ok") }
    routes.asset("/api/v1/openapi.json", DashboardFiles.description)
    routes.on(.post, "/api/v1/session", openSession)
    var table = RouteTable(prefix: "/api/v1", routes)
    table.on(.get, "/session", showSession)
    table.on(.delete, "/session", endSession)
    table.on(.post, "/check", check)
    addLookups(to: &table)
    addScans(to: &table)
    table.on(.get, "/network", network)
    table.on(.get, "/network/losses", losses)
    table.on(.get, "/events", stream)
    table.on(.get, "/cache", searchCache)
    table.on(.delete, "/cache", clearCache)
    table.on(.get, "/cache/stats", cacheStatistics)
    table.on(.get, "/cache/{ip}", cachedAnswer)
    table.on(.delete, "/cache/{ip}", deleteCachedAnswer)
    routes = table.routes
  }

  private func addLookups(to table: inout RouteTable) {
    table.on(.get, "/lookups", lookups)
    table.on(.post, "/lookups", lookUp)
    table.on(.delete, "/lookups", deleteLookups)
    table.on(.delete, "/lookups/{ip}", deleteLookup)
    table.on(.post, "/lookups/{ip}/refresh", refreshLookup)
  }

  private func addScans(to table: inout RouteTable) {
    table.on(.get, "/scans", scans)
    table.on(.post, "/scans", makeScan)
    table.on(.get, "/scans/{id}", scan)
    table.on(.delete, "/scans/{id}", deleteScan)
    for command in ScanLife.Command.allCases {
      table.on(.post, "/scans/{id}/\(command.rawValue)") { request, session in
        try await perform(command, request, session)
      }
    }
    table.on(.get, "/scans/{id}/records", records)
    table.on(.get, "/scans/{id}/missing", missing)
    table.on(.get, "/scans/{id}/rejects", rejects)
    table.on(.get, "/scans/{id}/places", places)
    table.on(.get, "/scans/{id}/throughput", throughput)
    table.on(.get, "/scans/{id}/summary", summary)
  }
}

/// Routes below one path, for those with a session, whose errors are told as problems.
struct RouteTable {
  private(set) var routes: Routes<Session>
  private let prefix: String

  init(prefix: String, _ routes: Routes<Session>) { (self.prefix, self.routes) = (prefix, routes) }

  mutating func on(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Session>.SessionHandler
  ) {
    routes.on(method, prefix + path) { request, session in
      try await tellingProblems { try await handler(request, session) }
    }
  }
}

/// Runs a handler, whose errors become problems.
func tellingProblems(_ handler: () async throws -> Response) async throws -> Response {
  do {
    return try await handler()
  } catch let error as DashboardError {
    throw error.problem
  } catch let error as StateError {
    throw error.problem ?? error as any Error
  } catch let error as AccountError {
    throw error.problem ?? error as any Error
  }
}

import SondeAccounts
import SondeDashboard
import SondeRecords
import SondeWeb
import SondeWebApp

/// The HTTP API: its routes and their handlers.
struct DashboardAPI: Sendable {
  let core: DashboardCore
  let accounts: AccountStore
  let cache: CacheDesk
  let events: EventHub

  /// The number of connections of each user.
  let connections: @Sendable () -> [String: Int]

  /// The maximum size of an upload in bytes.
  let longestUpload: Int

  /// Adds all routes, in the order of the description of the API.
  func add(to routes: inout Routes<Access>) {
    routes.guardAll(below: "/api/v1")
    routes.on(.get, "/healthz") { _ in .text("ok") }
    routes.open("/healthz")
    routes.asset("/api/v1/openapi.json", DashboardFiles.description)
    var table = RouteTable(prefix: "/api/v1", routes)
    addAccounts(to: &table)
    table.forPeople(.post, "/check", check)
    table.on(.get, "/fields", fields)
    table.on(.get, "/providers", providers)
    addLookups(to: &table)
    addScans(to: &table)
    table.on(.get, "/logs", logs)
    table.on(.get, "/logs/{id}", log)
    table.on(.get, "/logs/{id}/summary", logSummary)
    table.on(.get, "/logs/{id}/rate", logRate)
    table.on(.get, "/logs/{id}/places", logPlaces)
    table.on(.get, "/network", network)
    table.on(.get, "/network/losses", losses)
    table.on(.get, "/network/outages", outages)
    table.on(.get, "/network/timeline", timeline)
    table.on(.get, "/network/latency", latency)
    table.on(.get, "/watchlist", watchlist)
    table.on(.post, "/watchlist", addToWatchlist)
    table.on(.put, "/watchlist/{id}", changeWatchlist)
    table.on(.delete, "/watchlist/{id}", removeFromWatchlist)
    table.forPeople(.get, "/events", stream)
    table.forAdmins(.get, "/cache", searchCache)
    table.forAdmins(.delete, "/cache", clearCache)
    table.forAdmins(.get, "/cache/stats", cacheStatistics)
    table.forAdmins(.get, "/cache/{ip}", cachedAnswer)
    table.forAdmins(.delete, "/cache/{ip}", deleteCachedAnswer)
    routes = table.routes
    routes.on(.get, "/metrics", metrics)
  }

  private func addAccounts(to table: inout RouteTable) {
    let people = AccountAPI(accounts, warn: core.warn)
    table.open(.post, "/session", people.openSession)
    table.forPeople(.get, "/session", people.showSession)
    table.forPeople(.delete, "/session", people.endSession)
    table.open(.post, "/users", people.register)
    table.forAdmins(.get, "/users", users)
    table.forAdmins(.post, "/invitations", invite)
    table.forPeople(.post, "/password", changePassword)
    table.open(.post, "/reset", setPassword)
    table.forPeople(.get, "/sessions", sessions)
    table.forPeople(.delete, "/sessions/{id}", endOneSession)
    table.forPeople(.get, "/tokens", tokens)
    table.forPeople(.post, "/tokens", makeToken)
    table.forPeople(.delete, "/tokens/{id}", revokeToken)
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
    table.on(.get, "/scans/{id}/throughput", throughput)
    addScan(.delete, "", to: &table, deleteScan)
    for command in ScanLife.Command.allCases {
      addScan(.post, "/\(command.rawValue)", to: &table) { request, access, _ in
        try await perform(command, request, access)
      }
    }
    addScan(.get, "/records", to: &table, records)
    addScan(.get, "/missing", to: &table, missing)
    addScan(.get, "/rejects", to: &table, rejects)
    addScan(.get, "/places", to: &table, places)
    addScan(.get, "/summary", to: &table, summary)
    addScan(.get, "/report", to: &table, report)
  }

  /// Adds a route of a scan; another user's is not found, even if the request has other errors.
  private func addScan(
    _ method: Method,
    _ path: String,
    to table: inout RouteTable,
    _ handler: @escaping @Sendable (Request, Access, ScanTable) async throws -> Response
  ) {
    table.on(method, "/scans/{id}\(path)") { request, access in
      try await handler(request, access, core.scans.table(request.id(), of: access.owner))
    }
  }
}

/// Routes below one path, with their access rules.
struct RouteTable {
  private(set) var routes: Routes<Access>
  private let prefix: String

  init(prefix: String, _ routes: Routes<Access>) { (self.prefix, self.routes) = (prefix, routes) }

  /// For everybody.
  mutating func open(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Access>.Handler
  ) {
    routes.on(method, prefix + path, handler)
  }

  /// For people and their programs.
  mutating func on(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Access>.SessionHandler
  ) {
    routes.on(method, prefix + path, handler)
  }

  /// For people only.
  mutating func forPeople(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Session>.SessionHandler
  ) {
    on(method, path) { request, access in
      guard case .session(let session) = access else {
        throw Problem.forbidden("A token is not let do this")
      }
      return try await handler(request, session)
    }
  }

  /// For admins; without accounts everybody is one.
  mutating func forAdmins(
    _ method: Method,
    _ path: String,
    _ handler: @escaping Routes<Session>.SessionHandler
  ) {
    forPeople(method, path) { request, session in
      guard Access.session(session).isAdmin else { throw AccountError.forbidden }
      return try await handler(request, session)
    }
  }
}

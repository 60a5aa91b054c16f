import SondeDashboard
import SondeLive
import SondeRecords
import SondeSummary
import SondePage
import SondeWeb

extension DashboardAPI {
  /// `GET /logs`: in the order of their options.
  func logs(_ request: Request, _ access: Access) async throws -> Response {
    let infos = await core.logs.infos()
    return try request.list(infos.map { $0.json(withPath: access.isAdmin).bytes })
  }

  /// `GET /logs/{id}`.
  func log(_ request: Request, _ access: Access) async throws -> Response {
    let info = try await core.logs.info(request.id())
    try request.query.allow()
    return .json(info.json(withPath: access.isAdmin).bytes)
  }

  /// `GET /logs/{id}/summary`: tables as in `sonde summary`.
  func logSummary(_ request: Request, _ access: Access) async throws -> Response {
    let id = try await knownLog(request)
    try request.query.allow("last", "where", "top")
    let top = try request.query.integer("top", in: 1...SummaryTable.leastAddresses) ?? 100
    let query = try request.query.logQuery(of: access.owner)
    return .json(try await core.logs.summary(id, query, top: top))
  }

  /// `GET /logs/{id}/rate`: the hits over time.
  func logRate(_ request: Request, _ access: Access) async throws -> Response {
    let id = try await knownLog(request)
    try request.query.allow("last", "where")
    return .json(try await core.logs.rate(id, try request.query.logQuery(of: access.owner)))
  }

  /// `GET /logs/{id}/places`: clusters of addresses for a map, with their hits.
  func logPlaces(_ request: Request, _ access: Access) async throws -> Response {
    let id = try await knownLog(request)
    try request.query.allow("last", "where", "zoom", "bounds")
    let places = try await core.logs.places(
      id,
      try request.query.logQuery(of: access.owner),
      zoom: try request.query.integer("zoom", in: 0...30) ?? 0,
      bounds: try request.query.bounds() ?? .world
    )
    var object = JSONObject()
    object.add("items", objects: places.map(\.json))
    return .json(object.bytes)
  }

  /// The id of a log; another one is not found, even if the request has other errors.
  private func knownLog(_ request: Request) async throws -> String {
    try await core.logs.info(request.id()).id
  }
}

/// The time of which hits are wanted.
private enum LogTime: String, CaseIterable {
  case fiveMinutes = "5m"
  case hour = "1h"
  case day = "24h"

  var length: StepLength {
    switch self {
    case .fiveMinutes: .second
    case .hour: .tenSeconds
    case .day: .fiveMinutes
    }
  }
}

extension Query {
  fileprivate func logQuery(of user: String) throws(Problem) -> LogQuery {
    let time: LogTime? = try choice("last")
    return LogQuery((time ?? .fiveMinutes).length, where: try searched("where"), of: user)
  }
}

import SondeAccounts
import SondeAsking
import SondeDashboard
import SondeRecords
import SondeSystem
import SondeWeb

extension DashboardAPI {
  /// `GET /network`: as in `sonde status`.
  func network(_ request: Request, _ access: Access) throws -> Response {
    try request.query.allow()
    return .json(core.network.status.json.bytes)
  }

  /// `GET /network/losses`: the newest first; as a file, the oldest first.
  func losses(_ request: Request, _ access: Access) async throws -> Response {
    let query = request.query
    let form: LossForm? = try query.choice("format")
    guard form != .csv else {
      try query.allow("format")
      let file = KeptLoss.csv(await core.network.losses().items)
      return .bytes(file, type: "text/csv; charset=utf-8")
        .saved(as: "sonde-losses.csv")
    }
    try query.allow("format", "before", "limit")
    let (items, next) = await core.network.losses(
      before: try query.before(),
      limit: try query.limit()
    )
    return .list(items.reversed().map(\.json.bytes), next: next.map { "\($0)" })
  }

  /// `GET /network/outages`: as in `sonde outages --format json`.
  func outages(_ request: Request, _ access: Access) async throws -> Response {
    let query = request.query
    try query.allow("since", "until")
    return .json(try await core.network.outages(since: query["since"], until: query["until"]))
  }

  /// `GET /network/timeline`: what was watched of the endpoint.
  func timeline(_ request: Request, _ access: Access) async throws -> Response {
    try request.query.allow("since")
    return .items(try await core.network.timeline(since: request.query["since"]))
  }

  /// `GET /network/latency`: the times to connect, by minutes.
  func latency(_ request: Request, _ access: Access) async throws -> Response {
    try request.query.allow("since")
    return .items(try await core.network.latency(since: request.query["since"]))
  }

  /// `GET /events`: the current states, then all events.
  func stream(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow("log")
    let logs = request.query.all("log")
    // An unknown one is refused before the stream begins.
    _ = try await core.logs.latest(logs)
    let lifetime = max(.zero, session.expiresAt - Clocks.wall)
    return try await events.stream(
      to: request,
      user: session.owner,
      session: session.id,
      lasting: lifetime,
      about: Set(logs)
    ) {
      // The session may have ended before its end could close the stream.
      guard let token = request.sessionToken,
        try await accounts.session(of: Secret(token)) != nil
      else { throw Problem.unauthorized }
      let states = await core.states(for: session.owner) + (try await core.logs.latest(logs))
      return states.map(\.sent)
    }
  }
}

extension Response {
  /// A whole list.
  fileprivate static func items(_ items: [JSONObject]) -> Response {
    var object = JSONObject()
    object.add("items", objects: items)
    return .json(object.bytes)
  }
}

private enum LossForm: String, CaseIterable {
  case json, csv
}

extension DashboardCore {
  /// The current states of the network and of the user's scans.
  func states(for user: String) async -> [DashboardEvent] {
    let scans = await scans.scans(of: user, limit: .max).items
    return [network.current].compactMap(\.self)
      + scans.reversed().map { DashboardEvent(kind: .scan, user: user, json: $0.event.bytes) }
  }
}

extension DashboardEvent {
  var sent: ServerEvent {
    var event = ServerEvent(kind.rawValue, data: String(decoding: json, as: UTF8.self), owner: user)
    event.topic = topic
    return event
  }
}

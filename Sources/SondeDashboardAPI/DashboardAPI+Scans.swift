import SondeAccounts
import SondeDashboard
import SondeRecords
import SondeSystem
import SondeWeb

extension Request {
  /// The client's key for this request; `nil` if it has none.
  fileprivate func idempotencyKey() throws(Problem) -> String? {
    guard let key = headers["Idempotency-Key"]?.nonempty else { return nil }
    guard key.utf8.count <= 255 else { throw .invalid("an Idempotency-Key has at most 255 bytes") }
    return key
  }
}

extension String {
  fileprivate var nonempty: String? { contains { !$0.isWhitespace } ? self : nil }
}

extension DashboardAPI {
  private static let usualName = "Scan"

  /// `GET /scans`: the newest first.
  func scans(_ request: Request, _ access: Access) async throws -> Response {
    try request.query.allow("before", "limit")
    let (items, next) = await core.scans.scans(
      of: access.owner,
      before: request.query["before"],
      limit: try request.query.limit()
    )
    return .list(items.map(\.json.bytes), next: next)
  }

  /// `POST /scans`: the body is the list or log itself.
  func makeScan(_ request: Request, _ access: Access) async throws -> Response {
    try request.query.allow("name", "as", "provider", "start")
    var new = NewScan(name: request.query["name"].flatMap(\.nonempty) ?? Self.usualName)
    new.form = try request.query.choice("as") ?? new.form
    new.provider = request.query["provider"].flatMap(\.nonempty)
    new.isStarted = try request.query.boolean("start") ?? true
    new.idempotencyKey = try request.idempotencyKey()
    guard request.hasType("application/octet-stream") else {
      throw Problem.mediaType("application/octet-stream")
    }
    let upload = try await core.scans.admitUpload(
      of: access.owner,
      for: new.idempotencyKey,
      announced: request.headers["Content-Length"].flatMap { Int($0) },
      atMost: longestUpload
    )
    do {
      try await request.save(to: upload.path, limit: upload.limit)
    } catch {
      await core.scans.abandon(upload)
      throw error
    }
    let (scan, isNew) = try await core.scans.create(new, from: upload.path, of: access.owner)
    // The account may have been removed meanwhile, with the data that it had then.
    guard await request.isAllowed() else {
      if isNew { try await core.scans.delete(scan.id, of: access.owner) }
      throw Problem.unauthorized
    }
    return .json(scan.json.bytes, status: 201)
  }

  /// `GET /scans/{id}`.
  func scan(_ request: Request, _ access: Access) async throws -> Response {
    let scan = try await core.scans.scan(request.id(), of: access.owner)
    try request.query.allow()
    return .json(scan.json.bytes)
  }

  /// `DELETE /scans/{id}`.
  func deleteScan(_ request: Request, _ access: Access, _: ScanTable) async throws -> Response {
    try await request.withoutContent()
    try await core.scans.delete(request.id(), of: access.owner)
    return .empty
  }

  /// `POST /scans/{id}/start|pause|resume|stop|retry`.
  func perform(
    _ command: ScanLife.Command,
    _ request: Request,
    _ access: Access
  ) async throws -> Response {
    try await request.withoutContent()
    let scan = try await core.scans.perform(command, on: request.id(), of: access.owner)
    return .json(scan.json.bytes)
  }

  /// `GET /scans/{id}/throughput`: rates over time, and the losses of the network.
  func throughput(_ request: Request, _ access: Access) async throws -> Response {
    let id = try request.id()
    let samples = try await core.scans.throughput(id, of: access.owner).samples
    try request.query.allow()
    var object = JSONObject()
    object.add(
      "items",
      objects: samples.map { sample in
        var item = JSONObject()
        item.add("at", Timestamp(seconds: sample.at).wholeSeconds)
        item.add("rate", sample.rate)
        return item
      }
    )
    object.add("losses", objects: try await core.state.losses(of: id).map(\.json))
    return .json(object.bytes)
  }
}

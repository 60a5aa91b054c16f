import SondeAccounts
import SondeDashboard
import SondePage
import SondeRecords
import SondeSummary
import SondeWeb

extension DashboardAPI {
  /// `GET /scans/{id}/records`: a page, or with `format` a file.
  func records(_ request: Request, _: Access, _ table: ScanTable) async throws -> Response {
    let query = request.query
    var choice = RecordChoice()
    choice.status = try query.status()
    choice.filter = try query.searched("filter")
    choice.condition = try query.searched("where")
    guard let form: DownloadForm = try query.choice("format") else {
      try query.allow("page", "size", "sort", "filter", "where", "status")
      var wanted = RecordQuery()
      wanted.page = try query.integer("page", in: 1...Int(Int32.max)) ?? wanted.page
      wanted.size = try query.integer("size", in: 1...RecordQuery.longestPage) ?? wanted.size
      wanted.order = try query.order()
      wanted.choice = choice
      return .json(try await core.records.page(wanted, of: table).json.bytes)
    }
    try query.allow("format", "spreadsheet", "filter", "where", "status")
    let isForSpreadsheet = try query.boolean("spreadsheet") ?? false
    let content = RecordDownload.Content.records(form.format, spreadsheet: isForSpreadsheet, choice)
    return try await download(content, form.type, ".\(form.rawValue)", request, table)
  }

  /// `GET /scans/{id}/missing`.
  func missing(_ request: Request, _: Access, _ table: ScanTable) async throws -> Response {
    try request.query.allow()
    let type = "text/plain; charset=utf-8"
    return try await download(.missing, type, "-missing.txt", request, table)
  }

  /// `GET /scans/{id}/rejects`.
  func rejects(_ request: Request, _: Access, _ table: ScanTable) async throws -> Response {
    try request.query.allow()
    let type = DownloadForm.ndjson.type
    return try await download(.rejects, type, "-rejects.ndjson", request, table)
  }

  private func download(
    _ content: RecordDownload.Content,
    _ type: String,
    _ ending: String,
    _ request: Request,
    _ table: ScanTable
  ) async throws -> Response {
    let file = core.records.download(content, of: table)
    // Read before the response begins, so that an unreadable table is reported as a problem.
    let first = try await file.read()
    return .stream(type: type) { writer in
      var bytes = first
      while let chunk = bytes {
        try await writer.write(chunk)
        bytes = try await file.read()
      }
    }
    .saved(as: "sonde-\(try request.id())\(ending)")
  }

  /// `GET /scans/{id}/places`: clusters of addresses for a map.
  func places(_ request: Request, _: Access, _ table: ScanTable) async throws -> Response {
    try request.query.allow("zoom", "bounds")
    let places = try await core.records.places(
      zoom: try request.query.integer("zoom", in: 0...30) ?? 0,
      bounds: try request.query.bounds() ?? .world,
      of: table
    )
    var object = JSONObject()
    object.add("items", objects: places.map(\.json))
    return .json(object.bytes)
  }

  /// `GET /scans/{id}/summary`: tables as in `sonde summary`.
  func summary(_ request: Request, _: Access, _ table: ScanTable) async throws -> Response {
    try request.query.allow("top")
    let top = try request.query.integer("top", in: 1...SummaryTable.leastAddresses) ?? 100
    return .json(try await core.records.summary(of: table, top: top))
  }

  /// `GET /scans/{id}/report`: the page of `summary --html`.
  func report(_ request: Request, _: Access, _ table: ScanTable) async throws -> Response {
    try request.query.allow()
    let page = try await core.page(of: table)
    return .bytes(page, type: "text/html; charset=utf-8")
      .saved(as: "sonde-\(try request.id()).html")
  }
}

/// The formats of a file of records.
private enum DownloadForm: String, CaseIterable {
  case csv, ndjson, json, geojson

  var format: Format {
    switch self {
    case .csv: .csv
    case .ndjson: .ndjson
    case .json: .json
    case .geojson: .geojson
    }
  }

  var type: String {
    switch self {
    case .csv: "text/csv; charset=utf-8"
    case .ndjson: "application/x-ndjson"
    case .json: "application/json"
    case .geojson: "application/geo+json"
    }
  }
}

extension Query {
  fileprivate func status() throws(Problem) -> Status? {
    guard let text = self["status"] else { return nil }
    guard let status = Status.allCases.first(where: { $0.name == text }) else {
      let words = Status.allCases.map(\.name).joined(separator: ", ")
      throw .invalid("“status” must be one of \(words)")
    }
    return status
  }

  fileprivate func order() throws(Problem) -> RecordQuery.Order? {
    guard let text = self["sort"] else { return nil }
    guard let order = RecordQuery.Order(text: text) else {
      throw .invalid(RecordQuery.Order.advice)
    }
    return order
  }

  func bounds() throws(Problem) -> MapBounds? {
    guard let text = self["bounds"] else { return nil }
    let edges = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard edges.count == 4, let south = edges[0], let west = edges[1], let north = edges[2],
      let east = edges[3], south <= north,
      [south, west, north, east].allSatisfy({ abs($0) <= 1e6 })
    else { throw .invalid("“bounds” must be south,west,north,east in degrees") }
    return MapBounds(south: south, west: west, north: north, east: east)
  }
}

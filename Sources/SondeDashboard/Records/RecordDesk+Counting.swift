import SondeAsking
import SondeCounting
import SondeInputs
import SondeProviders
public import SondePage
import SondeRecords
import SondeSQLite
import SondeStore
public import SondeSummary
import SondeSystem
import Synchronization

extension RecordDesk {
  /// Rows looked up in the cache at once.
  private static let rowsAtOnce = 4096

  /// In whose turn the server reads for itself.
  private static let server = "server"

  /// Whether `upgrade` would change any row; false without a table.
  ///
  /// It changes a row without an answer or with one of `fallbacks`, unless the first provider is
  /// known to have nothing about its address. `cache` is that provider's.
  func hasRowsToAsk(in table: ScanTable, fallbacks: [Source], _ cache: AnswerCache?) async -> Bool {
    guard !fallbacks.isEmpty else { return false }
    if await readOwn(table, Self.hasLosses) ?? false { return true }
    var last: Int64? = 0
    while let behind = last {
      let found = await readOwn(table) { rows throws(SQLiteError) in
        try rows.addresses(of: fallbacks, behind: behind, Self.rowsAtOnce)
      }
      guard let (addresses, end) = found, !addresses.isEmpty else { return false }
      let known = await cache?.lookUp(addresses) ?? KnownAnswers()
      if known.block.records.count(where: { $0.status == .unknown }) < addresses.count {
        return true
      }
      last = end
    }
    return false
  }

  private static func hasLosses(_ rows: ScanTableReader) throws(SQLiteError) -> Bool {
    let names = ["status"] + rows.added.filter { $0.form == .status }.map(\.name)
    var isFound = false
    for name in names where !isFound {
      let condition = "\(Database.quoted(name)) IN ('failed', 'network_lost')"
      try rows.each("SELECT 1 FROM records WHERE \(condition) LIMIT 1") {
        _ throws(SQLiteError) in isFound = true
      }
    }
    return isFound
  }

  /// Reads a table for the server itself; `nil` without one, or if it cannot be read.
  private func readOwn<Result: Sendable>(
    _ table: ScanTable,
    _ body: @escaping @Sendable (ScanTableReader) throws(SQLiteError) -> Result
  ) async -> Result? {
    try? await pool.run(for: Self.server) { stop in
      try ScanTableReader(table.path, until: stop).map { rows in try body(rows) }
    }
  }

  /// Counts the records without duplicates; `nil` if they cannot be read.
  func tally(of table: ScanTable) async -> Tally? {
    try? await pool.run(for: Self.server) { stop in
      var tally = Tally()
      let sql = "SELECT status, source, cached, count(*) FROM records GROUP BY 1, 2, 3"
      guard let rows = try ScanTableReader(table.path, until: stop) else { return tally }
      try rows.each(sql) { row throws(SQLiteError) in
        let count = Int(row.number(3))
        let (status, source) = (row.text(0), row.text(1))
        switch Status.allCases.first(where: { $0.name == status }) {
        case .ok: tally.ok += count
        case .unknown: tally.unknown += count
        case .reserved: tally.reserved += count
        case .invalid, nil: tally.invalid += count
        case .failed: tally.failed += count
        case .networkLost: tally.networkLost += count
        }
        if row.number(2) != 0 { tally.cached += count }
        if let source = Source.all.first(where: { $0.name == source }) { tally[source] += count }
      }
      tally.entries = tally.records
      return tally
    }
  }

  /// A scan's progress by its table: a number that changes with any progress; 0 without a table.
  ///
  /// With `isRetry`, existing rows are looked up again.
  func progress(of table: ScanTable, isRetry: Bool) async -> Int {
    if isRetry { return await tally(of: table).map { $0.ok + $0.unknown } ?? 0 }
    return await readOwn(table) { rows throws(SQLiteError) in Int(try rows.lastRow) } ?? 0
  }
}

// MARK: - Summaries

extension RecordDesk {
  /// The tables of a summary, as the API names them.
  static let tables: [(name: String, kind: SummaryTable.Kind)] = [
    ("countries", .country), ("networks", .network), ("cities", .city), ("statuses", .status),
    ("addresses", .address), ("hours", .hour), ("days", .day),
  ]

  /// The summary of a scan as a JSON object: the first rows of each table, counted as by
  /// `sonde summary`, whose hits are the occurrences in the upload.
  ///
  /// - Throws: ``DashboardError`` if the table cannot be read.
  public func summary(of table: ScanTable, top: Int) async throws -> [UInt8] {
    var object = JSONObject()
    object.add(Self.tables, of: try await report(of: table), top: top)
    return object.bytes
  }

  /// The report of a scan's records so far.
  ///
  /// - Throws: ``DashboardError`` if the table cannot be read.
  public func report(of table: ScanTable) async throws -> SummaryReport {
    try await read(table) { rows, stop in
      guard let rows else { return SummaryReport(title: table.inputName, madeAt: 0) }
      let last = try rows.lastRow
      if let known = self.kept.withLock({ $0.summaries.value(of: table, upTo: last) }) {
        return known
      }
      let start = ContinuousClock.now
      var report = SummaryReport(title: table.inputName, madeAt: Timestamp.now.seconds)
      report.take(try Self.counts(of: table, stop))
      self.kept.withLock { [report] in
        $0.summaries.keep(report, of: table, upTo: last, took: .now - start)
      }
      return report
    }
  }

  private static func counts(of table: ScanTable, _ stop: StopRequest) throws -> SummaryCounts {
    do throws(InputError) {
      let upload = table.upload.map { upload in
        var inputs = InputSet(opening: [.file(upload.path)], captures: .recognized)
        inputs.longestUnpacked = upload.longestUnpacked
        return (inputs, upload.mode)
      }
      return try SummaryScan.counts(ofTable: table.path, from: upload) { stop.isMade }
    } catch {
      throw DashboardError(.disk, "the records cannot be read: \(error.reason)")
    }
  }

  /// The places of a scan's addresses within `bounds`, with neighbours merged.
  ///
  /// The world is 256 · 2^`zoom` points wide.
  /// - Throws: ``DashboardError`` if the table cannot be read.
  public func places(
    zoom: Int,
    bounds: MapBounds,
    of table: ScanTable
  ) async throws -> [ScanPlace] {
    let points = try await read(table) { rows, _ in
      guard let rows else { return [ScanPlace]() }
      let last = try rows.lastRow
      if let known = self.kept.withLock({ $0.points.value(of: table, upTo: last) }) {
        return known
      }
      let start = ContinuousClock.now
      let points = try TablePoints.count(rows)
      self.kept.withLock { $0.points.keep(points, of: table, upTo: last, took: .now - start) }
      return points
    }
    return PlaceClusters.places(of: points, zoom: zoom, bounds: bounds)
  }
}

extension JSONObject {
  /// Adds the first rows of some tables of a report, as the API has them.
  mutating func add(
    _ tables: [(name: String, kind: SummaryTable.Kind)],
    of report: SummaryReport,
    top: Int
  ) {
    for (name, kind) in tables {
      guard !kind.isTimeline || report[kind] != nil else {
        addNull(name)
        continue
      }
      var selection = SummarySelection()
      (selection.kinds, selection.top) = ([kind], top)
      let lines = report.data(as: .ndjson, selection).split(separator: UInt8(ascii: "\n"))
      add(name, array: lines.map { Array($0) })
    }
  }
}

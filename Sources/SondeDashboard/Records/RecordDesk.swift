import SondeAsking
import SondeCounting
import SondeInputs
import SondeProviders
import SondeRecords
import SondeSQLite
import SondeStore
import SondeSummary
import SondeSystem

/// Reads records of scans as pages, places and summaries, on a separate thread.
public actor RecordDesk {
  private let executor = BlockingExecutor(label: "sonde.records")
  private var selections = SelectionCache()
  private var points = CountedTables<[ScanPlace]>()
  private var summaries = CountedTables<[UInt8]>()

  /// The maximum rows of each table in a summary: all countries (ISO 3166-1 has 249), and as many
  /// networks as a page can show.
  private static let longestSummary = 250

  /// The actor's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a desk with empty caches.
  public init() {}

  /// Reads a page, which is empty after the last one.
  ///
  /// While a scan runs, records are in the order of the input.
  /// - Throws: ``DashboardError`` if the table cannot be read, or lacks the column to sort by.
  public func page(_ query: RecordQuery, of table: ScanTable) throws(DashboardError) -> RecordPage {
    let size = min(max(1, query.size), RecordQuery.longestPage)
    let page = try read(table) { rows throws(SQLiteError) -> RecordPage? in
      guard let rows else { return RecordPage(page: query.page, pages: 1, total: 0) }
      var query = query
      if let order = query.order {
        guard let known = rows.order(order) else { return nil }
        query.order = known
      }
      let (total, numbers) = try numbers(query, size, of: table, in: rows)
      var block = RecordBlock()
      for number in numbers { try rows.read(number, into: &block) }
      let encoder = Self.encoder(.ndjson, of: table, adding: rows.added)
      var page = RecordPage(
        page: query.page,
        pages: max(1, (total + size - 1) / size),
        total: total
      )
      page.items = block.records.map { encoder.object($0, of: block) }
      return page
    }
    guard let page else { throw DashboardError(.invalid, RecordQuery.Order.advice) }
    return page
  }

  /// The number of matching records, and the rows of the page.
  private func numbers(
    _ query: RecordQuery,
    _ size: Int,
    of table: ScanTable,
    in rows: ScanTableReader
  ) throws(SQLiteError) -> (total: Int, page: [Int64]) {
    let last = try rows.lastRow
    let order = table.isChanging ? nil : query.order
    let (start, overflow) = (max(1, query.page) - 1).multipliedReportingOverflow(by: size)
    guard order != nil || !query.filter.isEmpty || query.status != nil else {
      guard !overflow, start < last else { return (Int(last), []) }
      return (Int(last), Array(Int64(start) + 1...min(Int64(start + size), last)))
    }
    let key = RecordSelection.Key(
      path: table.path,
      revision: table.revision,
      order: order,
      filter: query.filter,
      status: query.status,
      last: table.isChanging ? last : nil
    )
    let found = try selections.selection(key, in: rows).rows
    guard !overflow, start < found.count else { return (found.count, []) }
    return (found.count, found[start..<min(start + size, found.count)].map(Int64.init))
  }

  /// Runs a block with a table's rows; there are none before the scan has started.
  private func read<R>(
    _ table: ScanTable,
    _ body: (ScanTableReader?) throws(SQLiteError) -> R
  ) throws(DashboardError) -> R {
    do throws(SQLiteError) {
      return try body(ScanTableReader(table.path))
    } catch {
      throw DashboardError(.disk, "the records cannot be read: \(error.message)")
    }
  }

  /// An encoder with the same output as `scan`.
  static func encoder(
    _ format: Format,
    of table: ScanTable,
    adding added: [AddedColumn] = [],
    spreadsheet: Bool = false
  ) -> RecordEncoder {
    RecordEncoder(
      format: format,
      fields: RecordColumns.all + added.map(Field.added),
      inputs: [table.inputName],
      sources: Provider.sourceNames,
      spreadsheet: spreadsheet,
      added: [AwaitedColumns(columns: added)]
    )
  }
}

// MARK: - Counting

extension RecordDesk {
  /// Rows looked up in the cache at once.
  private static let rowsAtOnce = 4096

  /// Whether `upgrade` would change any row; false without a table.
  ///
  /// It changes a row without an answer or with one of `fallbacks`, unless the first provider is
  /// known to have nothing about its address. `cache` is that provider's.
  func hasRowsToAsk(in table: ScanTable, fallbacks: [Source], _ cache: AnswerCache?) async -> Bool {
    guard !fallbacks.isEmpty, let rows = try? ScanTableReader(table.path) else { return false }
    var isFound = false
    let lost = "SELECT 1 FROM records WHERE status IN ('failed', 'network_lost') LIMIT 1"
    try? rows.each(lost) { _ throws(SQLiteError) in isFound = true }
    for column in rows.added where column.form == .status {
      let condition = "\(Database.quoted(column.name)) IN ('failed', 'network_lost')"
      try? rows.each("SELECT 1 FROM records WHERE \(condition) LIMIT 1") {
        _ throws(SQLiteError) in isFound = true
      }
    }
    var last: Int64 = 0
    while !isFound {
      guard
        let (addresses, end) = try? rows.addresses(of: fallbacks, behind: last, Self.rowsAtOnce),
        !addresses.isEmpty
      else { return false }
      let known = await cache?.lookUp(addresses) ?? KnownAnswers()
      isFound = known.block.records.count { $0.status == .unknown } < addresses.count
      last = end
    }
    return true
  }

  /// Counts the records without duplicates; `nil` if they cannot be read.
  func tally(of table: ScanTable) -> Tally? {
    var tally = Tally()
    let sql = "SELECT status, source, cached, count(*) FROM records GROUP BY 1, 2, 3"
    do throws(SQLiteError) {
      guard let rows = try ScanTableReader(table.path) else { return tally }
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
    } catch {
      return nil
    }
  }

  /// A scan's progress by its table: a number that changes with any progress; 0 without a table.
  ///
  /// With `isRetry`, existing rows are looked up again.
  func progress(of table: ScanTable, isRetry: Bool) -> Int {
    if isRetry { return tally(of: table).map { $0.ok + $0.unknown } ?? 0 }
    do throws(SQLiteError) {
      return Int(try ScanTableReader(table.path)?.lastRow ?? 0)
    } catch {
      return 0
    }
  }

  /// The countries and networks of a scan, counted as by `sonde summary`, as a JSON object.
  ///
  /// - Throws: ``DashboardError`` if the table cannot be read.
  public func summary(of table: ScanTable) throws(DashboardError) -> [UInt8] {
    let last = try read(table) { rows throws(SQLiteError) in try rows?.lastRow }
    guard let last else { return Array(#"{"countries":[],"networks":[]}"#.utf8) }
    return try summaries.value(of: table, upTo: last) { () throws(DashboardError) in
      try Self.summary(table.path)
    }
  }

  private static func summary(_ path: String) throws(DashboardError) -> [UInt8] {
    var report = SummaryReport(title: "", madeAt: 0)
    var rules = SummaryReport.Rules()
    rules.hasChoices = false
    do throws(InputError) {
      report.take(try SummaryScan.counts(ofTable: path), rules)
    } catch {
      throw DashboardError(.disk, "the records cannot be read: \(error.reason)")
    }
    func rows(_ kind: SummaryTable.Kind) -> [[UInt8]] {
      var selection = SummarySelection()
      (selection.kinds, selection.top) = ([kind], longestSummary)
      let lines = report.data(as: .ndjson, selection).split(separator: UInt8(ascii: "\n"))
      return lines.map { Array($0) }
    }
    var object = JSONObject()
    object.add("countries", array: rows(.country))
    object.add("networks", array: rows(.network))
    return object.bytes
  }

  /// The places of a scan's addresses within `bounds`, with neighbours merged.
  ///
  /// The world is 256 · 2^`zoom` points wide.
  /// - Throws: ``DashboardError`` if the table cannot be read.
  public func places(
    zoom: Int,
    bounds: MapBounds,
    of table: ScanTable
  ) throws(DashboardError) -> [ScanPlace] {
    let points = try read(table) { rows throws(SQLiteError) in
      guard let rows else { return [ScanPlace]() }
      return try self.points.value(of: table, upTo: rows.lastRow) { () throws(SQLiteError) in
        try TablePoints.count(rows)
      }
    }
    return PlaceClusters.places(of: points, zoom: zoom, bounds: bounds)
  }
}

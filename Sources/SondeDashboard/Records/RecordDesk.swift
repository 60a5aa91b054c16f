import SondeAsking
import SondeCounting
import SondeInputs
import SondeProviders
import SondePage
public import SondeRecords
import SondeSQLite
import SondeStore
import SondeSummary
import SondeSystem
import Synchronization

/// Reads records of scans as pages, places and summaries, each on a connection of its own.
///
/// All its methods throw `CancellationError` once their task is cancelled.
public final class RecordDesk: Sendable {
  struct Kept: Sendable {
    var selections = SelectionCache()
    var points = CountedTables<[ScanPlace]>()
    var summaries = CountedTables<SummaryReport>()
    var columns = CountedTables<KnownColumns>()
  }

  /// The number of rows from which both halves are searched at the same time; for fewer, a second
  /// thread costs more than it saves.
  private static let rowsToDivide: Int64 = 100_000

  let pool = ReaderPool()
  let kept = Mutex(Kept())
  private let sources: [any ColumnSource]
  private let moment: @Sendable (String) -> Int64?

  /// Creates a desk with empty caches, for tables with columns of some sources; `moment` reads
  /// times in conditions.
  public init(
    adding sources: [any ColumnSource] = [],
    moment: @escaping @Sendable (String) -> Int64? = { _ in nil }
  ) {
    (self.sources, self.moment) = (sources, moment)
  }

  /// Reads a page, which is empty after the last one.
  ///
  /// While a scan runs, records are in the order of the input.
  /// - Throws: ``DashboardError`` if the table cannot be read, lacks the column to sort by, or the
  ///   condition is invalid.
  public func page(_ query: RecordQuery, of table: ScanTable) async throws -> RecordPage {
    try await divide(query, of: table)
    return try await read(table) { rows, _ in
      guard let rows else {
        _ = try self.condition(query.choice, in: nil)
        return RecordPage(page: query.page, pages: 1, total: 0)
      }
      let last = try rows.lastRow
      let columns = try self.columns(of: table, in: rows, upTo: last)
      // Rows that a run changes may have values in further columns by now.
      let filled = table.isChanging ? nil : columns
      let condition = try self.condition(query.choice, in: rows, filled: filled)
      var query = query
      if let order = query.order {
        guard let known = rows.order(order) else {
          throw DashboardError(.invalid, RecordQuery.Order.advice)
        }
        query.order = known
      }
      var page = try self.page(query, condition, of: table, in: rows, upTo: last)
      page.columns = columns.map(\.name)
      return page
    }
  }

  private func page(
    _ query: RecordQuery,
    _ condition: RecordCondition,
    of table: ScanTable,
    in rows: ScanTableReader,
    upTo last: Int64
  ) throws(SQLiteError) -> RecordPage {
    let size = min(max(1, query.size), RecordQuery.longestPage)
    let order = table.isChanging ? nil : query.order
    let (start, overflow) = (max(1, query.page) - 1).multipliedReportingOverflow(by: size)
    var (total, hasMore, numbers) = (Int(last), false, [Int64]())
    if order == nil, query.choice == RecordChoice() {
      if !overflow, start < last {
        numbers = Array(Int64(start) + 1...min(Int64(start + size), last))
      }
    } else {
      let key = RecordSelection.Key(
        order: order,
        choice: query.choice,
        of: table,
        upTo: table.isChanging ? last : nil
      )
      let selection = try selection(key, condition, of: table, in: rows)
      (total, hasMore) = (selection.rows.count, selection.hasMore)
      if !overflow, start < total {
        numbers = selection.rows[start..<min(start + size, total)].map(Int64.init)
      }
    }
    var block = RecordBlock()
    for number in numbers { try rows.read(number, into: &block) }
    let encoder = Self.encoder(.ndjson, of: table, adding: rows.added)
    var page = RecordPage(page: query.page, pages: max(1, (total + size - 1) / size), total: total)
    page.items = block.records.map { encoder.object($0, of: block) }
    page.hasMore = hasMore
    return page
  }

  private func selection(
    _ key: RecordSelection.Key,
    _ condition: RecordCondition,
    of table: ScanTable,
    in rows: ScanTableReader
  ) throws(SQLiteError) -> RecordSelection {
    if let known = kept.withLock({ $0.selections.selection(key) }) { return known }
    let begin = ContinuousClock.now
    let made = try RecordSelection(key, condition.upTo(key.last), in: rows)
    let validity = CountedTables<KnownColumns>.validity(ofWhatTook: .now - begin)
    let end = table.isRewritten ? begin + validity : nil
    kept.withLock { $0.selections.keep(made, of: key, until: end) }
    return made
  }

  /// Searches both halves of a long table at the same time, if its user has both threads free, and
  /// keeps what is found.
  private func divide(_ query: RecordQuery, of table: ScanTable) async throws {
    let key = RecordSelection.Key(order: nil, choice: query.choice, of: table, upTo: nil)
    guard query.choice.isSearch, query.order == nil, !table.isChanging,
      kept.withLock({ $0.selections.selection(key) }) == nil, pool.isFree(for: table.user)
    else { return }
    let work = try await read(table) { rows, _ -> (last: Int64, condition: RecordCondition)? in
      guard let rows, case let last = try rows.lastRow, last >= Self.rowsToDivide else {
        return nil
      }
      let columns = try self.columns(of: table, in: rows, upTo: last)
      return (last, try self.condition(query.choice, in: rows, filled: columns))
    }
    guard let (last, condition) = work else { return }
    let parts = [condition.upTo(last / 2), condition.behind(last / 2)]
    async let end = read(table) { rows, _ in
      try rows.map { try RecordSelection(key, parts[1], in: $0) }
    }
    let start = try await read(table) { rows, _ in
      try rows.map { try RecordSelection(key, parts[0], in: $0) }
    }
    guard var found = start else { return }
    if !found.hasMore, let end = try await end { found.append(end) }
    kept.withLock { [found] in $0.selections.keep(found, of: key) }
  }

  /// The columns that have a value in the rows up to one.
  struct KnownColumns: Sendable {
    var fields: Set<Field> = []
    var last: Int64 = 0
  }

  /// The fields that have a value, in their order; of rows that were looked at before, none is read
  /// again, unless they change.
  private func columns(
    of table: ScanTable,
    in rows: ScanTableReader,
    upTo last: Int64
  ) throws(SQLiteError) -> [Field] {
    let begin = ContinuousClock.now
    let earlier = kept.withLock {
      table.isRewritten ? $0.columns.value(of: table, upTo: last) : $0.columns.latest(of: table)
    }
    var known = earlier ?? KnownColumns()
    if last > known.last {
      let others = rows.fields.filter { !known.fields.contains($0) }
      known.fields.formUnion(
        try rows.fieldsWithValues(among: others, in: known.last + 1...last)
      )
      known.last = last
      let time = ContinuousClock.now - begin
      kept.withLock { [known] in $0.columns.keep(known, of: table, upTo: last, took: time) }
    }
    return rows.fields.filter(known.fields.contains)
  }

  /// Runs a block with a table's rows, when it is the user's turn; there are none before the scan
  /// has started.
  func read<Result: Sendable>(
    _ table: ScanTable,
    _ body: @escaping @Sendable (ScanTableReader?, StopRequest) throws -> Result
  ) async throws -> Result {
    try await pool.run(for: table.user) { stop in
      do {
        return try body(ScanTableReader(table.path, until: stop), stop)
      } catch let error as SQLiteError {
        throw DashboardError(.disk, "the records cannot be read: \(error.message)")
      }
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

  /// A file of records.
  public func download(_ content: RecordDownload.Content, of table: ScanTable) -> RecordDownload {
    RecordDownload(content, of: table, by: self)
  }

  /// The condition of a choice, for a table in which only the fields in `filled` have any value.
  func condition(
    _ choice: RecordChoice,
    in rows: ScanTableReader?,
    filled: [Field]? = nil
  ) throws(DashboardError) -> RecordCondition {
    let fields =
      rows?.fields ?? RecordColumns.all + sources.flatMap(\.columns).map(Field.added)
    return try RecordCondition(choice, in: fields, filled: filled ?? fields, moment: moment)
  }
}

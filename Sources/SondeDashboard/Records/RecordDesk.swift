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
    let size = min(max(1, query.size), RecordQuery.longestPage)
    return try await read(table) { rows, _ in
      let condition = try self.condition(query.choice, in: rows)
      guard let rows else { return RecordPage(page: query.page, pages: 1, total: 0) }
      var query = query
      if let order = query.order {
        guard let known = rows.order(order) else {
          throw DashboardError(.invalid, RecordQuery.Order.advice)
        }
        query.order = known
      }
      var page = try self.page(query, size, condition, of: table, in: rows)
      page.columns = try self.columns(of: table, in: rows).map(\.name)
      return page
    }
  }

  private func page(
    _ query: RecordQuery,
    _ size: Int,
    _ condition: RecordCondition,
    of table: ScanTable,
    in rows: ScanTableReader
  ) throws(SQLiteError) -> RecordPage {
    let last = try rows.lastRow
    let order = table.isChanging ? nil : query.order
    let (start, overflow) = (max(1, query.page) - 1).multipliedReportingOverflow(by: size)
    var (total, hasMore, numbers) = (Int(last), false, [Int64]())
    if order == nil, query.choice == RecordChoice() {
      if !overflow, start < last {
        numbers = Array(Int64(start) + 1...min(Int64(start + size), last))
      }
    } else {
      let key = RecordSelection.Key(
        path: table.path,
        revision: table.revision,
        order: order,
        choice: query.choice,
        last: table.isChanging ? last : nil
      )
      let selection = try selection(key, condition, in: rows)
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
    in rows: ScanTableReader
  ) throws(SQLiteError) -> RecordSelection {
    if let known = kept.withLock({ $0.selections.selection(key) }) { return known }
    let made = try RecordSelection(key, condition, in: rows)
    kept.withLock { $0.selections.keep(made, of: key) }
    return made
  }

  /// The columns that have a value in the rows up to one.
  struct KnownColumns: Sendable {
    var fields: Set<Field> = []
    var last: Int64 = 0
  }

  /// The fields that have a value, in their order; of rows that were looked at before, none is read
  /// again.
  private func columns(
    of table: ScanTable,
    in rows: ScanTableReader
  ) throws(SQLiteError) -> [Field] {
    let last = try rows.lastRow
    var known = kept.withLock { $0.columns.latest(of: table) } ?? KnownColumns()
    if last > known.last {
      let others = rows.fields.filter { !known.fields.contains($0) }
      known.fields.formUnion(
        try rows.fieldsWithValues(among: others, in: known.last + 1...last)
      )
      known.last = last
      kept.withLock { [known] in $0.columns.keep(known, of: table, upTo: last, took: .zero) }
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

  /// The condition of a choice.
  func condition(
    _ choice: RecordChoice,
    in rows: ScanTableReader?
  ) throws(DashboardError) -> RecordCondition {
    try RecordCondition(choice, adding: rows?.added ?? sources.flatMap(\.columns), moment: moment)
  }
}

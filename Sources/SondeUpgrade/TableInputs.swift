import SondeInputs
import SondeRecords
import SondeSQLite

/// The entries of the records in a database, one per row.
///
/// It may be used by one thread at a time.
final class TableInputs: EntrySource {
  private let table: OpenedTable
  private let progress: ReadCounters
  private var last = Int64.min
  private var records: UInt64 = 0
  private var hasFlaw = false
  /// Whether all rows were read.
  private(set) var isWhole = false
  private var hasFailed = false

  init(_ table: OpenedTable, _ progress: ReadCounters) {
    (self.table, self.progress) = (table, progress)
  }

  /// Does nothing, since reading never waits.
  var cancel: @Sendable () -> Void { {} }

  func next(limit: Int, deadline: ContinuousClock.Instant?) throws(CancellationError) -> Step {
    .delivery(try rows(limit: limit))
  }

  private func rows(limit: Int) throws(CancellationError) -> EntryReader.Delivery {
    if Task.isCancelled { throw CancellationError() }
    guard !isWhole, !hasFailed else { return .end }
    do throws(SQLiteError) {
      let (rows, last) = try table.rows(behind: last, limit: limit)
      self.last = last
      guard !rows.isEmpty else {
        isWhole = true
        return .end
      }
      return .entries(entries(of: rows))
    } catch {
      hasFailed = true
      return .failure(InputError(table: table.path, error))
    }
  }

  private func entries(of rows: [TableRowText]) -> EntryBlock {
    var (block, entries) = (RowBlock(), EntryBlock())
    for row in rows {
      let verdict = verdict(about: row)
      if let flaw = verdict.flaw, !hasFlaw {
        hasFlaw = true
        let reason = "row \(row.number) stays as it is: \(flaw)"
        entries.faults.append(InputError(name: table.path, reason: reason))
      }
      let start = block.bytes.count
      TableRow.append(.integer(row.number), to: &block.bytes)
      block.append(verdict, lead: start..<start, body: start..<block.bytes.count)
      entries.append(verdict)
    }
    table.window.append(block)
    entries.first = records
    records += UInt64(rows.count)
    progress.update { [records] in $0.bytes = records }
    return entries
  }

  private func verdict(about row: TableRowText) -> RowVerdict {
    if let flaw = row.flaw { return RowVerdict(flaw: flaw) }
    var verdict = RowVerdict(
      ip: row.ip,
      status: row.status,
      source: row.source,
      in: row.bytes.span,
      table.fallbacks
    )
    verdict.fill(
      by: table.layout.filling,
      ip: row.ip,
      text: row.text,
      in: row.bytes.span,
      lacks: { $0.contains { table.layout.missing.contains($0) } },
      value: { column in row.statuses[column].map { Array(row.bytes[$0]) } ?? [] }
    )
    return verdict
  }
}

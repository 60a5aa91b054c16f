import SondeAddresses
public import SondeRecords
import SondeSQLite
import SondeSystem
import Synchronization

/// A file of a scan's records, with the same bytes as the output of `scan`, generated while it is
/// read by one task at a time.
///
/// It holds the records at its start, even while the scan runs. Each part is read when it is the
/// user's turn, so that slow clients keep nobody waiting.
public final class RecordDownload: Sendable {
  /// The content of the file.
  public enum Content: Sendable, Equatable {
    /// The records of a choice.
    case records(Format, spreadsheet: Bool, RecordChoice)
    /// The addresses without an answer, one per line, like `--missing`.
    case missing
    /// The invalid entries, like `--rejects`.
    case rejects
  }

  private static let batch = 1_000

  private enum Phase { case begin, body, end }

  private struct State {
    var encoder: RecordEncoder
    var condition = RecordCondition.all
    var next: Int64 = 1
    var last: Int64 = 0
    var isEmpty = true
    var phase = Phase.begin
  }

  private let table: ScanTable
  private let content: Content
  private let desk: RecordDesk
  private let state: Mutex<State>

  /// Creates a file that has not been read.
  init(_ content: Content, of table: ScanTable, by desk: RecordDesk) {
    (self.content, self.table, self.desk) = (content, table, desk)
    state = Mutex(State(encoder: Self.encoder(content, of: table, adding: [])))
  }

  private static func encoder(
    _ content: Content,
    of table: ScanTable,
    adding added: [AddedColumn]
  ) -> RecordEncoder {
    switch content {
    case .records(let format, let spreadsheet, _):
      RecordDesk.encoder(format, of: table, adding: added, spreadsheet: spreadsheet)
    case .missing, .rejects: RecordDesk.encoder(.ndjson, of: table, adding: added)
    }
  }

  /// The next bytes; `nil` at the end.
  ///
  /// - Throws: ``DashboardError`` if the records cannot be read, or the condition is invalid;
  ///   `CancellationError`.
  public func read() async throws -> [UInt8]? {
    guard state.withLock({ $0.phase != .end }) else { return nil }
    return try await desk.read(table) { rows, _ in try self.readOn(rows) }
  }

  private func readOn(_ rows: ScanTableReader?) throws -> [UInt8]? {
    var state = state.withLock { $0 }
    defer { self.state.withLock { [state] in $0 = state } }
    if state.phase == .begin {
      state.last = try rows?.lastRow ?? 0
      state.encoder = Self.encoder(content, of: table, adding: rows?.added ?? [])
      state.condition = try condition(in: rows)
      state.phase = .body
      let header = content == .missing ? [] : state.encoder.header()
      if !header.isEmpty { return header }
    }
    while state.next <= state.last {
      // A file that ends here without an error would look whole.
      guard let rows else { throw DashboardError(.notFound, "the scan was deleted") }
      var block = RecordBlock()
      let found = try rows.read(
        state.next...state.last,
        where: state.condition,
        limit: Self.batch,
        into: &block
      )
      state.next = found.map { $0 + 1 } ?? state.last + 1
      var bytes: [UInt8] = []
      for record in block.records where state.condition.includes(record, of: block) {
        append(record, of: block, to: &bytes, &state)
      }
      if !bytes.isEmpty { return bytes }
    }
    state.phase = .end
    let footer = content == .missing ? [] : state.encoder.footer(isEmpty: state.isEmpty)
    return footer.isEmpty ? nil : footer
  }

  private func append(
    _ record: Record,
    of block: RecordBlock,
    to bytes: inout [UInt8],
    _ state: inout State
  ) {
    guard content != .missing else {
      if let address = record.address { bytes += Array("\(address)\n".utf8) }
      return
    }
    if !state.isEmpty { bytes += state.encoder.separator }
    state.isEmpty = false
    state.encoder.append(record, bytes: block.bytes.span, to: &bytes)
  }

  private func condition(in rows: ScanTableReader?) throws(DashboardError) -> RecordCondition {
    switch content {
    case .records(_, _, let choice): try desk.condition(choice, in: rows)
    case .missing: RecordCondition("status IN ('failed', 'network_lost')")
    case .rejects: RecordCondition("status = 'invalid'")
    }
  }
}

import SondeAddresses
public import SondeRecords
import SondeSQLite
import SondeSystem

/// A file of a scan's records, with the same bytes as the output of `scan`, generated while it is
/// read.
///
/// It holds the records at its start, even while the scan runs.
public actor RecordDownload {
  /// The content of the file.
  public enum Content: Sendable, Equatable {
    /// All records, or those with one status.
    case records(Format, spreadsheet: Bool, Status?)
    /// The addresses without an answer, one per line, like `--missing`.
    case missing
    /// The invalid entries, like `--rejects`.
    case rejects
  }

  private static let batch = 1_000

  private let executor = BlockingExecutor(label: "sonde.download")
  private let table: ScanTable
  private let content: Content
  private var encoder: RecordEncoder
  private var rows: ScanTableReader?
  private var next: Int64 = 1
  private var last: Int64 = 0
  private var isEmpty = true
  private var phase = Phase.begin

  private enum Phase { case begin, body, end }

  /// The actor's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a file that has not been read.
  public init(_ content: Content, of table: ScanTable) {
    (self.content, self.table) = (content, table)
    encoder = Self.encoder(content, of: table, adding: [])
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
  public func read() throws(DashboardError) -> [UInt8]? {
    do throws(SQLiteError) {
      return try readOn()
    } catch {
      throw DashboardError(.disk, "the records cannot be read: \(error.message)")
    }
  }

  private func readOn() throws(SQLiteError) -> [UInt8]? {
    switch phase {
    case .begin:
      rows = try ScanTableReader(table.path)
      last = try rows?.lastRow ?? 0
      encoder = Self.encoder(content, of: table, adding: rows?.added ?? [])
      phase = .body
      let header = content == .missing ? [] : encoder.header()
      return header.isEmpty ? try readOn() : header
    case .body:
      if let bytes = try readRows() { return bytes }
      (phase, rows) = (.end, nil)
      let footer = content == .missing ? [] : encoder.footer(isEmpty: isEmpty)
      return footer.isEmpty ? nil : footer
    case .end: return nil
    }
  }

  private func readRows() throws(SQLiteError) -> [UInt8]? {
    guard let rows, next <= last else { return nil }
    var block = RecordBlock()
    let found = try rows.read(next...last, where: condition, limit: Self.batch, into: &block)
    guard let found else { return nil }
    next = found + 1
    var bytes: [UInt8] = []
    for record in block.records { append(record, of: block, to: &bytes) }
    return bytes
  }

  private func append(_ record: Record, of block: RecordBlock, to bytes: inout [UInt8]) {
    guard content != .missing else {
      if let address = record.address { bytes += Array("\(address)\n".utf8) }
      return
    }
    if !isEmpty { bytes += encoder.separator }
    isEmpty = false
    encoder.append(record, bytes: block.bytes.span, to: &bytes)
  }

  private var condition: String {
    switch content {
    case .records(_, _, nil): "1"
    case .records(_, _, let status?): "status = '\(status.name)'"
    case .missing: "status IN ('failed', 'network_lost')"
    case .rejects: "status = 'invalid'"
    }
  }
}

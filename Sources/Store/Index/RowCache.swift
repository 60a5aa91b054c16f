/// Rows of the index that were read before: no row is ever changed.
struct RowCache {
  /// The most rows that are kept, 4 kB each.
  private static let limit = 4096

  private var rows: [Int64: [UInt8]] = [:]
  /// The numbers of the rows, the one that came first at `oldest`.
  private var order: [Int64] = []
  private var oldest = 0

  /// The bytes of a row; none where there is no such row, or not a whole one.
  mutating func row(_ id: Int64, in database: Database) throws(StoreError) -> [UInt8] {
    if let row = rows[id] { return row }
    let statement = try database.statement("SELECT entries, checksum FROM places WHERE id = ?1")
    statement.bind(1, id)
    defer { statement.reset() }
    var row: [UInt8] = []
    if try statement.step() {
      let checksum = statement.optionalNumber(1)
      row = statement.withBytes(0) { bytes in
        checksum == RunRow.checksum(id, bytes) ? [UInt8](copying: bytes) : []
      }
    }
    if order.count < Self.limit {
      order.append(id)
    } else {
      rows[order[oldest]] = nil
      order[oldest] = id
      oldest = (oldest + 1) % Self.limit
    }
    rows[id] = row
    return row
  }

  /// Forgets the rows that belong to none of these runs.
  mutating func keep(_ runs: some Collection<Run>) {
    guard !rows.isEmpty else { return }
    order = order.filter { id in runs.contains { $0.rows.contains(id) } }
    oldest = 0
    rows = Dictionary(uniqueKeysWithValues: order.map { ($0, rows[$0] ?? []) })
  }
}

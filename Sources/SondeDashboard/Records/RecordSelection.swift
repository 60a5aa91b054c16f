import SondeAddresses
import SondeRecords
import SondeSQLite

/// The row numbers that match a query, in its order.
struct RecordSelection: Sendable {
  /// The most matches of a search that are counted and paged.
  static let mostMatches = 10_000

  /// The query, and the state of the table.
  struct Key: Sendable, Hashable {
    let path: String
    let revision: Int
    let order: RecordQuery.Order?
    let choice: RecordChoice
    /// The last row, if rows are still being added.
    let last: Int64?

    init(order: RecordQuery.Order?, choice: RecordChoice, of table: ScanTable, upTo last: Int64?) {
      (path, revision) = (table.path, table.revision)
      (self.order, self.choice, self.last) = (order, choice, last)
    }
  }

  private(set) var rows: [UInt32]

  /// Whether there are further matches.
  private(set) var hasMore: Bool

  init(
    _ key: Key,
    _ condition: RecordCondition,
    in table: ScanTableReader
  ) throws(SQLiteError) {
    let most = key.choice.isSearch ? Self.mostMatches : Int.max
    if key.order?.field == .ip {
      let found = try Self.byAddress(key, condition, in: table)
      (rows, hasMore) = (Array(found.prefix(most)), found.count > most)
      return
    }
    var found: [UInt32] = []
    let order = Self.order(key.order)
    try table.matches(condition, by: order, until: { found.count > most }) { row, _, _ in
      found.append(row)
    }
    hasMore = found.count > most
    if hasMore { found.removeLast() }
    rows = found
  }

  /// Adds what a search of the rows behind these found.
  mutating func append(_ others: RecordSelection) {
    rows += others.rows
    hasMore = others.hasMore || rows.count > Self.mostMatches
    if rows.count > Self.mostMatches { rows.removeLast(rows.count - Self.mostMatches) }
  }

  private static func order(_ order: RecordQuery.Order?) -> String {
    guard let order else { return "rowid" }
    let name = Database.quoted(order.field.name)
    let collation = order.field.columnType == "TEXT" ? " COLLATE NOCASE" : ""
    return "\(name) IS NULL, \(name)\(collation)\(order.isDescending ? " DESC" : ""), rowid"
  }

  /// Orders by number: `9.9.9.9` before `10.0.0.1`, anything but addresses last.
  private static func byAddress(
    _ key: Key,
    _ condition: RecordCondition,
    in table: ScanTableReader
  ) throws(SQLiteError) -> [UInt32] {
    var found: [(address: Address?, row: UInt32)] = []
    try table.matches(condition, by: "rowid", with: [.ip]) { row, record, _ in
      found.append((record.address, row))
    }
    let isDescending = key.order?.isDescending ?? false
    found.sort { left, right in
      switch (left.address, right.address) {
      case (let first?, let second?) where first != second: (first < second) != isDescending
      case (.some, nil): true
      case (nil, .some): false
      default: left.row < right.row
      }
    }
    return found.map(\.row)
  }
}

/// Cached selections, with a limited total number of rows.
struct SelectionCache: Sendable {
  /// The maximum rows of all together; one selection is kept whatever its size.
  private static let mostRows = 8 << 20

  private struct Kept {
    let key: RecordSelection.Key
    let selection: RecordSelection
    /// When rows may have changed; `nil` if only with the key.
    let goodUntil: ContinuousClock.Instant?
  }

  private var selections: [Kept] = []

  /// The selection of a key; `nil` if it is not cached.
  mutating func selection(_ key: RecordSelection.Key) -> RecordSelection? {
    guard let index = selections.firstIndex(where: { $0.key == key }) else { return nil }
    let found = selections.remove(at: index)
    if let end = found.goodUntil, end <= .now { return nil }
    selections.append(found)
    return found.selection
  }

  /// Keeps a new selection, in place of those that were used longest ago, and not beyond a time.
  mutating func keep(
    _ selection: RecordSelection,
    of key: RecordSelection.Key,
    until end: ContinuousClock.Instant? = nil
  ) {
    selections.removeAll { $0.key == key }
    selections.append(Kept(key: key, selection: selection, goodUntil: end))
    while selections.count > 1,
      selections.reduce(0, { $0 + $1.selection.rows.count }) > Self.mostRows
    {
      selections.removeFirst()
    }
  }
}

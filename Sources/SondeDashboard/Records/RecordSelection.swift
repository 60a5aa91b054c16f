import SondeAddresses
import SondeRecords
import SondeSQLite

/// The row numbers that match a query, in its order.
struct RecordSelection: Sendable {
  /// The query, and the state of the table.
  struct Key: Sendable, Hashable {
    let path: String
    let revision: Int
    let order: RecordQuery.Order?
    let filter: String
    let status: Status?
    /// The last row, if rows are still being added.
    let last: Int64?
  }

  let rows: [UInt32]

  init(_ key: Key, in table: ScanTableReader) throws(SQLiteError) {
    let condition = Self.condition(key, adding: table.added)
    var found: [UInt32] = []
    if key.order?.field == .ip {
      rows = try Self.byAddress(key, condition, in: table)
      return
    }
    let sql = "SELECT rowid FROM records WHERE \(condition.sql) ORDER BY \(Self.order(key.order))"
    try table.each(sql, condition.values) { row throws(SQLiteError) in
      found.append(UInt32(clamping: row.number(0)))
    }
    rows = found
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
    _ condition: Condition,
    in table: ScanTableReader
  ) throws(SQLiteError) -> [UInt32] {
    var found: [(address: Address?, row: UInt32)] = []
    let sql = "SELECT rowid, ip FROM records WHERE \(condition.sql) ORDER BY rowid"
    try table.each(sql, condition.values) { row throws(SQLiteError) in
      let address = row.withText(1) { text in
        Address(
          ascii: text.extracting(
            0..<(text.indices.first { text[$0] == UInt8(ascii: "%") } ?? text.count)
          )
        )
      }
      found.append((address, UInt32(clamping: row.number(0))))
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

  private struct Condition {
    let sql: String
    let values: [BoundValue]
  }

  private static func condition(_ key: Key, adding added: [AddedColumn]) -> Condition {
    var parts = key.last.map { ["rowid <= \($0)"] } ?? []
    if let status = key.status { parts.append("status = '\(status.name)'") }
    guard !key.filter.isEmpty else {
      return Condition(sql: parts.isEmpty ? "1" : parts.joined(separator: " AND "), values: [])
    }
    let searched = (RecordColumns.all + added.map(Field.added))
      .filter { $0.columnType == "TEXT" || $0 == .asn }
    let any = searched.map { "\(Database.quoted($0.name)) LIKE ?1 ESCAPE '\\'" }
      .joined(separator: " OR ")
    parts.append("(\(any))")
    var pattern = "%"
    for character in key.filter {
      if "%_\\".contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
    pattern += "%"
    return Condition(sql: parts.joined(separator: " AND "), values: [.text(pattern)])
  }
}

/// Cached selections, with a limited total number of rows.
struct SelectionCache {
  /// The maximum rows of all together; one selection is kept whatever its size.
  private static let mostRows = 8 << 20

  private var selections: [(key: RecordSelection.Key, selection: RecordSelection)] = []

  /// The selection of a key, created if it is not cached.
  mutating func selection(
    _ key: RecordSelection.Key,
    in table: ScanTableReader
  ) throws(SQLiteError) -> RecordSelection {
    if let index = selections.firstIndex(where: { $0.key == key }) {
      let found = selections.remove(at: index)
      selections.append(found)
      return found.selection
    }
    let made = try RecordSelection(key, in: table)
    selections.append((key, made))
    while selections.count > 1,
      selections.reduce(0, { $0 + $1.selection.rows.count }) > Self.mostRows
    {
      selections.removeFirst()
    }
    return made
  }
}

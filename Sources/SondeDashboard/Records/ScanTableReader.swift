import SondeAddresses
import SondeCatalog
import SondeProviders
import SondeRecords
import SondeSQLite
import SondeSystem

/// Reads the written records from a scan's table, row by row.
///
/// It has one owner, which makes all calls on one thread.
final class ScanTableReader {
  /// The number of columns in one expression: SQLite limits the arguments of a function to 127 and
  /// the depth of an expression to 1,000 (https://www.sqlite.org/limits.html).
  static let columnsAtOnce = 100

  /// How long a call waits for a writer.
  private static let longestWait = Duration.seconds(5)
  let added: [AddedColumn]
  /// All fields of the table, in order.
  let fields: [Field]

  private let database: Database
  private let wait = LockWait()

  /// Opens a table, to be read until a stop is requested; `nil` if it does not exist yet.
  init?(_ path: String, until stop: StopRequest? = nil) throws(SQLiteError) {
    guard let status = FileStatus(path: path), status.size > 0 else { return nil }
    wait.begin(Self.longestWait)
    database = try Database.forReading(resolvedPath(path), wait: wait) { database in
      if let stop { database.end(by: stop) }
    }
    try database.enableTextSearch()
    try database.execute("PRAGMA cache_size = -8192; PRAGMA mmap_size = 0")
    let count = try database.number(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'records' AND type = 'table'"
    )
    guard count == 1 else { return nil }
    added = try Self.added(in: database)
    fields = RecordColumns.all + added.map(Field.added)
  }

  /// What is read of each row.
  fileprivate struct Columns {
    /// The standard ones, with the status.
    let standard: [Field]
    /// All others, or none.
    let added: [AddedColumn]
    /// The list for SQL, in which added ones that are not wanted have no value.
    let sql: String
  }

  /// The columns of some fields, by default all.
  private func columns(_ wanted: Set<Field>? = nil) -> Columns {
    let isWanted = { (field: Field) in wanted?.contains(field) ?? true }
    let standard = RecordColumns.all.filter { isWanted($0) || $0 == .status }
    let isAdded = added.contains { isWanted(.added($0)) }
    let names =
      standard.map { Database.quoted($0.name) }
      + (isAdded ? added : []).map {
        isWanted(.added($0)) ? Database.quoted($0.name) : "NULL"
      }
    return Columns(
      standard: standard,
      added: isAdded ? added : [],
      sql: names.joined(separator: ", ")
    )
  }

  /// The columns that not every table has.
  private static func added(in database: Database) throws(SQLiteError) -> [AddedColumn] {
    try database.rows("SELECT name, type FROM pragma_table_info('records')") {
      (name: $0.text(0), type: $0.text(1))
    }
    .filter { Field(name: $0.name) == nil }
    .map { AddedSource.column(named: $0.name, ofType: $0.type) }
  }

  /// The matching column order of this table; `nil` if it has no such column.
  func order(_ order: RecordQuery.Order) -> RecordQuery.Order? {
    guard case .added(let wanted) = order.field else { return order }
    let column = added.first { $0.name == wanted.name }
    return column.map { RecordQuery.Order(by: .added($0), isDescending: order.isDescending) }
  }

  /// The number of the last row, counted from 1 without gaps; 0 if there is none.
  var lastRow: Int64 {
    get throws(SQLiteError) { try database.number("SELECT max(rowid) FROM records") ?? 0 }
  }

  /// Goes through the rows of a query until there are enough.
  func each(
    _ sql: String,
    _ values: [BoundValue] = [],
    until isEnough: () -> Bool = { false },
    _ body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    wait.begin(Self.longestWait)
    let query = try database.statement(made: sql)
    query.bind(values)
    defer { query.reset() }
    while !isEnough(), try query.step() { try body(query) }
  }

  /// Goes through the records that meet a condition in an order of SQL until there are enough.
  ///
  /// The records have the values of `fields`, and those that the condition needs.
  func matches(
    _ condition: RecordCondition,
    by order: String,
    with fields: Set<Field> = [],
    until isEnough: () -> Bool = { false },
    _ body: (UInt32, Record, RecordBlock) -> Void
  ) throws(SQLiteError) {
    let wanted = fields.union(condition.filter?.fields ?? [])
    let columns = columns(wanted)
    let values = wanted.isEmpty ? "" : ", \(columns.sql)"
    let sql = "SELECT rowid\(values) FROM records WHERE \(condition.sql) ORDER BY \(order)"
    let blank = Record(address: nil, status: .ok)
    var block = RecordBlock()
    try each(sql, condition.values, until: isEnough) { row throws(SQLiteError) in
      let number = UInt32(clamping: row.number(0))
      guard !wanted.isEmpty else { return body(number, blank, block) }
      // Its memory is used again, unless what was added lies elsewhere.
      if columns.added.isEmpty { block.removeRecords() } else { block = RecordBlock() }
      block.append(row, columns)
      let record = block.records[0]
      if condition.includes(record, of: block) { body(number, record, block) }
    }
  }

  /// The fields of some others that have a value in a range of rows.
  func fieldsWithValues(
    among candidates: [Field],
    in rows: ClosedRange<Int64>
  ) throws(SQLiteError) -> [Field] {
    var found: [Field] = []
    for group in candidates.groups(of: Self.columnsAtOnce) {
      found += try fieldsWithValues(inGroup: group, in: rows)
    }
    return found
  }

  private func fieldsWithValues(
    inGroup candidates: [Field],
    in rows: ClosedRange<Int64>
  ) throws(SQLiteError) -> [Field] {
    // Each row that is found gives a field at least, and only fields without a value so far are
    // looked at in the rows behind it.
    var (without, next) = (candidates, Optional(rows.lowerBound))
    while let start = next, !without.isEmpty {
      let found = without.map { "\(Database.quoted($0.name)) IS NOT NULL" }
      let sql = """
        SELECT rowid, \(found.joined(separator: ", ")) FROM records
        WHERE rowid BETWEEN ? AND ? AND (\(found.joined(separator: " OR "))) ORDER BY rowid LIMIT 1
        """
      next = nil
      try each(sql, [.number(start), .number(rows.upperBound)]) { row throws(SQLiteError) in
        next = row.number(0) + 1
        without = without.indices.filter { row.number(Int32($0 + 1)) == 0 }.map { without[$0] }
      }
    }
    return candidates.filter { !without.contains($0) }
  }

  /// Reads consecutive rows that the database finds to meet a condition.
  ///
  /// - Returns: The number of the last row; `nil` if there are no more.
  func read(
    _ rows: ClosedRange<Int64>,
    where condition: RecordCondition,
    limit: Int,
    into block: inout RecordBlock
  ) throws(SQLiteError) -> Int64? {
    var last: Int64?
    let columns = columns()
    let sql =
      "SELECT rowid, \(columns.sql) FROM records WHERE (\(condition.sql)) AND rowid BETWEEN ? AND ? "
      + "ORDER BY rowid LIMIT ?"
    let bounds = [rows.lowerBound, rows.upperBound, Int64(limit)].map { BoundValue.number($0) }
    try each(sql, condition.values + bounds) { row throws(SQLiteError) in
      last = row.number(0)
      block.append(row, columns)
    }
    return last
  }

  /// The addresses of rows behind `row` answered by a fallback, and the number of the last row.
  func addresses(
    of fallbacks: [Source],
    behind row: Int64,
    _ limit: Int
  ) throws(SQLiteError) -> (addresses: [Address], last: Int64) {
    let names = fallbacks.map { "'\($0.name)'" }.joined(separator: ", ")
    var block = RecordBlock()
    let last = try read(
      row + 1 ... .max,
      where: RecordCondition("status = 'ok' AND source IN (\(names))"),
      limit: limit,
      into: &block
    )
    return (block.records.compactMap(\.address), last ?? row)
  }

  func read(_ number: Int64, into block: inout RecordBlock) throws(SQLiteError) {
    let columns = columns()
    let sql = "SELECT rowid, \(columns.sql) FROM records WHERE rowid = ?"
    try each(sql, [.number(number)]) { row throws(SQLiteError) in
      block.append(row, columns)
    }
  }
}

extension Array {
  /// The elements in groups of at most `count`, in order.
  func groups(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}

extension RecordBlock {
  /// Removes all records and texts.
  fileprivate mutating func removeRecords() {
    records.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends the record of a row, whose columns follow its number.
  fileprivate mutating func append(_ row: Statement, _ columns: ScanTableReader.Columns) {
    let status = Int32(1 + (columns.standard.firstIndex(of: .status) ?? 0))
    var record = Record(address: nil, status: row.withText(status) { $0.status })
    for (index, field) in columns.standard.enumerated() {
      let column = Int32(1 + index)
      if row.type(column) != .nothing { take(row, column, field, into: &record) }
    }
    records.append(record)
    guard !columns.added.isEmpty else { return }
    let found = Found(columns.added, values(of: columns, row), row: 0)
    add(to: records.count - 1, [found])
  }

  private func values(of columns: ScanTableReader.Columns, _ row: Statement) -> AddedValues {
    var values = AddedValues()
    for (index, column) in columns.added.enumerated() {
      let place = Int32(1 + columns.standard.count + index)
      switch column.form {
      case .flag: values.append(flag: row.optionalNumber(place).map { $0 != 0 })
      case .list, .numbers:
        values.append(list: row.text(place).split(separator: " ").map(String.init))
      case .text, .number, .status: values.append(text: row.text(place))
      }
    }
    return values
  }

  private mutating func take(
    _ row: Statement,
    _ column: Int32,
    _ field: Field,
    into record: inout Record
  ) {
    switch field {
    case .ip: row.withText(column) { takeAddress($0, into: &record) }
    case .status: break
    case .source:
      let name = row.text(column)
      record.source = Source.all.first { $0.name == name }
    case .latitude: record.latitude = row.real(column)
    case .longitude: record.longitude = row.real(column)
    case .asn: record.asn = UInt32(clamping: row.number(column))
    case .line: record.place.line = UInt64(clamping: row.number(column))
    case .cached: record.isCached = row.number(column) != 0
    case .fetchedAt:
      record.fetchedAt = row.withText(column) { Timestamp(wholeSeconds: $0)?.seconds }
    default:
      guard let text = field.textField else { return }
      record[text] = row.withText(column) { append(text: $0) }
    }
  }

  /// An address, possibly with a zone, or the invalid item.
  private mutating func takeAddress(_ text: Span<UInt8>, into record: inout Record) {
    let mark = text.indices.first { text[$0] == UInt8(ascii: "%") } ?? text.count
    guard record.status != .invalid, let address = Address(ascii: text.extracting(0..<mark)) else {
      record[.item] = append(text: text)
      return
    }
    record.address = address
    if mark + 1 < text.count { record[.item] = append(text: text.extracting((mark + 1)...)) }
  }
}

extension Span<UInt8> {
  fileprivate var status: Status {
    let known = Status.allCases.first { status in
      let name = status.name.utf8
      return name.count == count && zip(name, indices).allSatisfy { $0 == self[$1] }
    }
    return known ?? .invalid
  }
}

import Glibc
public import SondeInputs
public import SondeOutputs
public import SondeRecords
import SondeSQLite
public import SondeSystem

/// A database of records, looked into as far as to know its columns.
public struct OpenedTable: Sendable {
  /// Which columns it has.
  public let layout: RecordLayout

  /// The path of its file.
  let path: String
  /// Whose answers are asked for again.
  let fallbacks: [Source]
  /// How many rows there are.
  let count: Int
  /// How to wait while another program has the database locked.
  let waiting: LockedTable
  let window = RowWindow()

  /// The columns that an answer changes.
  var changedColumns: [Field] { (layout.fields ?? []).filter { !RowEncoder.kept.contains($0) } }

  /// Whether a file is a database, by its content.
  public static func isDatabase(path: String) -> Bool {
    (try? OpenFile(.file(path)))?.content == .foreign(.database)
  }

  /// Looks into a database.
  ///
  /// - Parameters:
  ///   - path: Its file.
  ///   - fallbacks: Whose answers are asked for again.
  ///   - filling: What sources are to fill.
  ///   - waiting: How to wait while another program has the database locked.
  /// - Throws: ``InputError`` when it cannot be read, or has no records.
  public init(
    path: String,
    fallbacks: [Source],
    filling: RowFilling = RowFilling(),
    waiting: LockedTable = LockedTable()
  ) throws(InputError) {
    (self.path, self.fallbacks, self.waiting) = (path, fallbacks, waiting)
    do throws(SQLiteError) {
      let (names, count) = try waiting.run(path) { () throws(SQLiteError) in
        try Self.contents(of: RecordTable(path: path))
      }
      guard let columns = try Self.columns(names, path, filling.columns) else {
        throw SQLiteError(.foreign, RecordTable.isMissing)
      }
      layout = RecordLayout(format: .sqlite, columns: columns, head: 0, filling: filling)
      self.count = count
    } catch {
      throw InputError(table: path, error)
    }
  }

  /// The names of the columns, and the number of rows; without a table of records, nothing.
  private static func contents(
    of table: RecordTable
  ) throws(SQLiteError) -> (names: [String], count: Int) {
    let database = try table.openForReading()
    let names = try database.recordColumns()
    return (names, names.isEmpty ? 0 : try database.recordCount(table.size))
  }

  /// The columns that say how sources fared and that are there.
  private var statusColumns: [AddedColumn] {
    (layout.columns?.fields ?? []).compactMap { field in
      guard case .added(let column) = field, column.form == .status else { return nil }
      return column
    }
  }

  private static func columns(
    _ names: [String],
    _ path: String,
    _ added: [AddedColumn]
  ) throws(SQLiteError) -> RecordLayout.Columns? {
    do throws(InputError) {
      return try RecordLayout.Columns(named: names, of: path, adding: added)
    } catch {
      throw SQLiteError(.foreign, error.reason)
    }
  }

  /// Makes a copy, whose rows are to be changed in place of these.
  ///
  /// - Parameter path: The file of the copy, which must not be there yet.
  /// - Returns: The file.
  /// - Throws: ``OutputError``.
  public func copy(to path: String) throws(OutputError) -> OutputFile {
    let file = try TableSink.make(path)
    do throws(SQLiteError) {
      try waiting.run(self.path) { () throws(SQLiteError) in
        let copy = try Database(path: resolvedPath(path), .writing, wait: RecordTable.wait())
        copy.keepsLog = false
        try RecordTable(path: self.path).openForReading().copy(to: copy)
      }
    } catch {
      file.discard()
      throw OutputError(name: path, error)
    }
    return file
  }

  /// Keeps others from writing the database, whose rows are to be changed where they are.
  ///
  /// - Returns: The file.
  /// - Throws: ``OutputError``.
  public func hold() throws(OutputError) -> OutputFile { try TableSink.open(path) }

  /// Adds the columns that are not there yet.
  ///
  /// - Parameter path: The file of the database whose rows are changed.
  /// - Throws: ``OutputError``.
  public func addColumns(in path: String) throws(OutputError) {
    guard !layout.missing.isEmpty else { return }
    do throws(SQLiteError) {
      // All of it each time: where a step fails, closing the database takes the others back.
      try waiting.run(path) { () throws(SQLiteError) in
        let wait = RecordTable.wait()
        let database = try Database(path: resolvedPath(path), .writing, wait: wait)
        database.keepsLog = false
        database.distrust(longestValue: RecordTable.longestRow)
        try database.execute("BEGIN IMMEDIATE")
        for field in layout.missing.map(Field.added) {
          let column = "\(Database.quoted(field.name)) \(field.columnType)"
          try database.execute("ALTER TABLE \(RecordTable.name) ADD COLUMN \(column)")
        }
        try database.execute("COMMIT")
      }
    } catch {
      throw OutputError(name: path, error)
    }
  }

  /// Reads rows.
  ///
  /// - Parameters:
  ///   - row: The number of the row before them.
  ///   - limit: The most rows.
  /// - Returns: The rows, and the number of the last one; none behind the last.
  /// - Throws: `SQLiteError`.
  func rows(
    behind row: Int64,
    limit: Int
  ) throws(SQLiteError) -> (rows: [TableRowText], last: Int64) {
    try waiting.run(path) { () throws(SQLiteError) in
      try rows(behind: row, limit: limit, in: RecordTable(path: path).openForReading())
    }
  }

  private func rows(
    behind row: Int64,
    limit: Int,
    in database: Database
  ) throws(SQLiteError) -> (rows: [TableRowText], last: Int64) {
    let names = ["ip", "status", "source"] + statusColumns.map(\.name)
    var rows: [TableRowText] = []
    let last = try database.eachRecord(names, behind: row, limit: limit) { number, query in
      var text = TableRowText(number: number)
      if let query {
        text.ip = text.append(query, 1)
        text.status = text.append(query, 2)
        text.source = text.append(query, 3)
        for (index, column) in statusColumns.enumerated() {
          text.statuses[column] = text.append(query, 4 + Int32(index))
        }
      } else {
        text.flaw = RecordTable.isTooLong
      }
      rows.append(text)
    }
    return (rows, last)
  }
}

/// What a row of a table says that decides about it.
struct TableRowText {
  /// Its number in the table.
  let number: Int64
  /// The values, one behind the other.
  private(set) var bytes: [UInt8] = []
  var ip = 0..<0
  var status = 0..<0
  var source = 0..<0
  /// How sources fared.
  var statuses: [AddedColumn: Range<Int>] = [:]
  /// Why none of that is known, if so.
  var flaw: String?

  init(number: Int64) { self.number = number }

  fileprivate mutating func append(_ query: Statement, _ column: Int32) -> Range<Int> {
    let start = bytes.count
    query.withText(column) { text in
      for index in text.indices { bytes.append(text[index]) }
    }
    return start..<bytes.count
  }
}

import Glibc
public import Records
import SQLite
public import System

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
  /// What is done while another program has it locked.
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
  ///   - waiting: What is done while another program has it locked.
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
        try Self.contents(of: Self.open(path))
      }
      guard let columns = try Self.columns(names, path, filling.columns) else {
        throw SQLiteError(.foreign, "has no table of records as scan writes it")
      }
      layout = RecordLayout(format: .sqlite, columns: columns, head: 0, filling: filling)
      self.count = count
    } catch {
      throw InputError(name: path, reason: error.message)
    }
  }

  /// The names of the columns, and the number of rows; without a table of records, nothing.
  private static func contents(
    of database: Database
  ) throws(SQLiteError) -> (names: [String], count: Int) {
    let query = try database.statement(columnNames)
    defer { query.reset() }
    var names: [String] = []
    while try query.step() { names.append(query.text(0)) }
    guard !names.isEmpty else { return ([], 0) }
    return (names, Int(clamping: try database.number("SELECT count(rowid) FROM records") ?? 0))
  }

  private static let columnNames: StaticString = """
    SELECT name FROM pragma_table_info('records')
    WHERE EXISTS (SELECT 1 FROM sqlite_schema AS s WHERE s.name = 'records' AND s.type = 'table')
    """

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
      let copy = try Database(path: resolvedPath(path), .writing, wait: Self.wait())
      copy.keepsLog = false
      try Self.open(self.path).copy(to: copy)
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
      let wait = Self.wait()
      let database = try Database(path: resolvedPath(path), .writing, wait: wait)
      database.keepsLog = false
      try waiting.run(path) { () throws(SQLiteError) in
        wait.begin(TableSink.longestWait)
        try database.execute("BEGIN IMMEDIATE")
      }
      for field in layout.missing.map(Field.added) {
        let column = "\(Database.quoted(field.name)) \(field.columnType)"
        try database.execute("ALTER TABLE \(RecordTable.name) ADD COLUMN \(column)")
      }
      try database.execute("COMMIT")
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
      try rows(behind: row, limit: limit, in: Self.open(path))
    }
  }

  private func rows(
    behind row: Int64,
    limit: Int,
    in database: Database
  ) throws(SQLiteError) -> (rows: [TableRowText], last: Int64) {
    let statuses = statusColumns.map { ", " + Database.quoted($0.name) }.joined()
    let query = try database.statement(
      made: "SELECT rowid, ip, status, source\(statuses) FROM records WHERE rowid > ? "
        + "ORDER BY rowid LIMIT ?"
    )
    query.bind(1, row)
    query.bind(2, Int64(limit))
    defer { query.reset() }
    var (rows, last): ([TableRowText], Int64) = ([], row)
    while try query.step() {
      last = query.number(0)
      var text = TableRowText(number: last)
      text.ip = text.append(query, 1)
      text.status = text.append(query, 2)
      text.source = text.append(query, 3)
      for (index, column) in statusColumns.enumerated() {
        text.statuses[column] = text.append(query, 4 + Int32(index))
      }
      rows.append(text)
    }
    return (rows, last)
  }

  /// It is opened anew for each look, so that nobody who changes it waits for long.
  static func open(_ path: String) throws(SQLiteError) -> Database {
    let database = try Database(path: resolvedPath(path), .reading, wait: wait())
    database.keepsLog = false
    return database
  }

  private static func wait() -> LockWait {
    let wait = LockWait()
    wait.begin(TableSink.longestWait)
    return wait
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

  init(number: Int64) { self.number = number }

  fileprivate mutating func append(_ query: Statement, _ column: Int32) -> Range<Int> {
    let start = bytes.count
    query.withText(column) { text in
      for index in text.indices { bytes.append(text[index]) }
    }
    return start..<bytes.count
  }
}

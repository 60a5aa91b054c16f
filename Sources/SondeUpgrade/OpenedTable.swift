import Glibc
public import SondeInputs
public import SondeOutputs
public import SondeRecords
import SondeSQLite
public import SondeSystem

/// A database of records, read up to the recognition of its columns.
public struct OpenedTable: Sendable {
  /// The columns.
  public let layout: RecordLayout
  let path: String
  /// The fallback providers, whose answers are requested again.
  let fallbacks: [Source]
  let count: Int
  /// How to wait while another program has locked the database.
  let waiting: LockedDatabase
  let window = RowWindow()

  /// The columns that an answer changes.
  var changedColumns: [Field] { (layout.fields ?? []).filter { !RowEncoder.kept.contains($0) } }

  /// Whether a file is a database, by its content.
  public static func isDatabase(path: String) -> Bool {
    (try? OpenFile(.file(path)))?.content == .foreign(.database)
  }

  /// Reads the structure of a database; `waiting` handles locks of other programs.
  ///
  /// - Throws: ``InputError`` if it cannot be read, or has no records.
  public init(
    path: String,
    fallbacks: [Source],
    filling: RowFilling = RowFilling(),
    waiting: LockedDatabase = LockedDatabase()
  ) throws(InputError) {
    (self.path, self.fallbacks, self.waiting) = (path, fallbacks, waiting)
    do throws(SQLiteError) {
      let (names, count) = try waiting.run(path) { () throws(SQLiteError) in
        try Self.contents(of: RecordDatabase(path: path))
      }
      guard let columns = try Self.columns(names, path, filling.columns) else {
        throw SQLiteError(.foreign, RecordDatabase.isMissing)
      }
      layout = RecordLayout(format: .sqlite, columns: columns, head: 0, filling: filling)
      self.count = count
    } catch {
      throw InputError(table: path, error)
    }
  }

  /// The names of the columns, and the number of rows; empty without a table of records.
  private static func contents(
    of table: RecordDatabase
  ) throws(SQLiteError) -> (names: [String], count: Int) {
    let database = try table.openForReading()
    let names = try database.recordColumns()
    return (names, names.isEmpty ? 0 : try database.recordCount(table.size))
  }

  /// The existing columns with the status of sources.
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

  /// Creates a copy at `path`, which must not exist, to change instead.
  public func copy(to path: String) throws(OutputError) -> OutputFile {
    let file = try RecordDatabaseSink.make(path)
    do throws(SQLiteError) {
      try waiting.run(self.path) { () throws(SQLiteError) in
        let copy = try Database(path: resolvedPath(path), .writing, wait: RecordDatabase.wait())
        copy.keepsLog = false
        try RecordDatabase(path: self.path).openForReading().copy(to: copy)
      }
    } catch {
      file.discard()
      throw OutputError(name: path, error)
    }
    return file
  }

  /// Locks the database against other writers, to change its rows in place.
  public func hold() throws(OutputError) -> OutputFile { try RecordDatabaseSink.open(path) }

  /// Adds missing columns to the database at `path`.
  public func addColumns(in path: String) throws(OutputError) {
    guard !layout.missing.isEmpty else { return }
    do throws(SQLiteError) {
      // All steps are repeated together; if one fails, closing the database undoes the others.
      try waiting.run(path) { () throws(SQLiteError) in
        let wait = RecordDatabase.wait()
        let database = try Database(path: resolvedPath(path), .writing, wait: wait)
        database.keepsLog = false
        database.distrust(longestValue: RecordDatabase.longestRow)
        try database.execute("BEGIN IMMEDIATE")
        for field in layout.missing.map(Field.added) {
          let column = "\(Database.quoted(field.name)) \(field.columnType)"
          try database.execute("ALTER TABLE \(RecordDatabase.name) ADD COLUMN \(column)")
        }
        try database.execute("COMMIT")
      }
    } catch {
      throw OutputError(name: path, error)
    }
  }

  /// Reads at most `limit` rows after a row; returns them and the number of the last one.
  ///
  /// After the last row, the result is empty.
  func rows(
    behind row: Int64,
    limit: Int
  ) throws(SQLiteError) -> (rows: [TableRowText], last: Int64) {
    try waiting.run(path) { () throws(SQLiteError) -> (rows: [TableRowText], last: Int64) in
      let database = try RecordDatabase(path: path).openForReading()
      let hasText = layout.filling.claims != nil && layout.columns?.fields.contains(.text) ?? false
      let names =
        ["ip", "status", "source"] + statusColumns.map(\.name) + (hasText ? ["text"] : [])
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
          if hasText { text.text = text.append(query, 4 + Int32(statusColumns.count)) }
        } else {
          text.flaw = RecordDatabase.isTooLong
        }
        rows.append(text)
      }
      return (rows, last)
    }
  }
}

/// The values of a table's row on which its treatment depends.
struct TableRowText {
  let number: Int64
  private(set) var bytes: [UInt8] = []
  var ip = 0..<0
  var status = 0..<0
  var source = 0..<0
  /// The status of sources, as ranges in ``bytes``.
  var statuses: [AddedColumn: Range<Int>] = [:]
  /// The line, if it is needed and there is one.
  var text: Range<Int>?
  /// Why the values are unknown, if they are.
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

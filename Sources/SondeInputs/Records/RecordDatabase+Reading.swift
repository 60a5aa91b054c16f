package import SondeSQLite
import SondeSystem

/// Reading an untrusted table, in time and memory proportional to its rows.
extension RecordDatabase {
  /// The largest size of a value read, in bytes; those written by `scan` are far shorter.
  static let longestValue: Int32 = 1 << 20

  /// The largest size of a changed row in bytes, as for CSV.
  package static let longestRow: Int32 = 16 << 20

  /// The limit of steps for reading a schema, about seven per table, view, index and trigger, since
  /// the time grows with the square of their number.
  private static let schemaSteps = 20_000

  /// The error for a database without such a table.
  package static let isMissing = "has no table of records as scan writes it"

  /// The error for a row with a value over ``longestValue``.
  package static let isTooLong = "a value in it is longer than 1 MiB"

  /// The advice if a database is unreadable because of anything but its records.
  package static let remedy = "copy its table records into a database of its own"

  /// The size of the database in bytes, including its log.
  package var size: Int {
    [path, path + "-wal"].reduce(0) { $0 + Int(clamping: FileStatus(path: $1)?.size ?? 0) }
  }

  /// Starts the wait of a call for other programs' locks.
  package static func wait() -> LockWait {
    let wait = LockWait()
    wait.begin(RecordDatabase.longestWait)
    return wait
  }

  /// Opens the database for one short read, so that other programs can soon change it.
  ///
  /// - Throws: `SQLiteError`.
  package func openForReading() throws(SQLiteError) -> Database {
    let database = try Database.forReading(resolvedPath(path), wait: Self.wait()) { database in
      database.distrust(longestValue: Self.longestValue)
      database.limitSteps(Self.schemaSteps)
    }
    database.limitSteps(.max)
    return database
  }
}

extension Database {
  /// The names of the records' columns; empty without such a table.
  package func recordColumns() throws(SQLiteError) -> [String] {
    let query = try statement(
      """
      SELECT name FROM pragma_table_info('records') WHERE EXISTS (
        SELECT 1 FROM sqlite_schema AS s
        WHERE s.name = 'records' AND s.type = 'table' AND s.rootpage > 0)
      """
    )
    defer { query.reset() }
    var names: [String] = []
    while try query.step() { names.append(query.text(0)) }
    return names
  }

  /// Counts the records; `size` is that of the database, since circular pages have endless rows.
  package func recordCount(_ size: Int) throws(SQLiteError) -> Int {
    limitSteps(max(size, 1 << 20))
    defer { limitSteps(.max) }
    do throws(SQLiteError) {
      return Int(clamping: try number("SELECT count(rowid) FROM records") ?? 0)
    } catch {
      guard error.kind == .tooManySteps else { throw error }
      throw SQLiteError(.damaged, "is damaged: it has more rows than have room in it")
    }
  }

  /// Reads up to `limit` records after the one with the number `last`; returns the last number.
  ///
  /// `body` receives the number and the values after it, or `nil` if one is too long.
  package func eachRecord(
    _ columns: [String],
    behind last: Int64,
    limit: Int,
    _ body: (Int64, Statement?) -> Void
  ) throws(SQLiteError) -> Int64 {
    let names = columns.map { ", " + Database.quoted($0) }.joined()
    let query = try statement(
      made: "SELECT rowid\(names) FROM records WHERE rowid > ? ORDER BY rowid LIMIT ?"
    )
    var (last, left) = (last, limit)
    while left > 0 {
      do throws(SQLiteError) {
        defer { query.reset() }
        query.bind(1, last)
        query.bind(2, Int64(left))
        while try query.step() {
          try Self.advance(&last, to: query.number(0), &left)
          body(last, query)
        }
        return last
      } catch {
        guard error.kind == .tooLong, let number = try nextRecord(behind: last) else { throw error }
        try Self.advance(&last, to: number, &left)
        body(number, nil)
      }
    }
    return last
  }

  /// Advances to the next record's number, which may not rise in a damaged table.
  private static func advance(
    _ last: inout Int64,
    to number: Int64,
    _ left: inout Int
  ) throws(SQLiteError) {
    guard number > last else {
      throw SQLiteError(.damaged, "is damaged: the numbers of its rows do not rise")
    }
    (last, left) = (number, left - 1)
  }

  private func nextRecord(behind last: Int64) throws(SQLiteError) -> Int64? {
    let query = try statement("SELECT min(rowid) FROM records WHERE rowid > ?")
    query.bind(1, last)
    defer { query.reset() }
    return try query.step() ? query.optionalNumber(0) : nil
  }
}

extension InputError {
  /// Creates an error about an unreadable table, with advice.
  package init(table path: String, _ error: SQLiteError) {
    let remedy = RecordDatabase.remedy
    let reason =
      switch error.kind {
      case .tooLong: "has a definition of more than 1 MiB, which is not read: \(remedy)"
      case .tooManySteps: "defines too many tables, views and indexes to be read: \(remedy)"
      default: error.message
      }
    self.init(name: path, reason: reason)
  }
}

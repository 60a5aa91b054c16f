import Records
import SQLite

/// Counts the records in a database as they are, and asks nobody about them.
///
/// One thread at a time may use it.
final class RecordDatabase {
  /// The rows that are read at a time.
  private static let batch: Int64 = 4096

  /// How far the reading is, in bytes of the file: nothing, or all.
  private(set) var position: UInt64 = 0

  private let path: String
  private let size: UInt64
  private let book: any RecordBook
  /// The columns that Sonde knows, by their places.
  private let columns: [(place: Int32, field: Field)]
  private var value: RecordValue
  private var last = Int64.min
  private var hasFlaw = false

  /// Looks into a database.
  ///
  /// - Parameters:
  ///   - path: Its file.
  ///   - size: The bytes of the file.
  ///   - book: Where records are counted.
  /// - Throws: ``InputError`` when it cannot be read, or has no records.
  init(path: String, size: UInt64, _ book: any RecordBook) throws(InputError) {
    (self.path, self.size, self.book) = (path, size, book)
    value = RecordValue(isFiltered: book.filter != nil)
    do throws(SQLiteError) {
      var columns: [(Int32, Field)] = []
      let database = try OpenedTable.open(path)
      let query = try database.statement("SELECT cid, name FROM pragma_table_info('records')")
      defer { query.reset() }
      while try query.step() {
        // Behind the number of the row.
        let place = Int32(clamping: query.number(0) + 1)
        if let field = Field(name: query.text(1)) { columns.append((place, field)) }
      }
      self.columns = columns
    } catch {
      throw InputError(name: path, reason: error.message)
    }
    guard columns.contains(where: { $0.field == .ip }) else {
      throw InputError(name: path, reason: "has no table of records as scan writes it")
    }
  }

  /// Counts the next records.
  ///
  /// - Returns: Whether these were the last ones, and what is wrong with any.
  func read() -> (isLast: Bool, failure: InputError?) {
    do throws(SQLiteError) {
      let (count, flaw) = try count()
      if count == 0 { position = size }
      return (count == 0, flaw.map { InputError(name: path, reason: $0) })
    } catch {
      return (true, InputError(name: path, reason: error.message))
    }
  }

  /// Counts rows; how many there were, and what is wrong with the first that is no record.
  private func count() throws(SQLiteError) -> (count: Int, flaw: String?) {
    // It is opened anew for each look, so that nobody who changes it waits for long.
    let database = try OpenedTable.open(path)
    let query = try database.statement(
      "SELECT rowid, * FROM records WHERE rowid > ? ORDER BY rowid LIMIT ?"
    )
    query.bind(1, last)
    query.bind(2, Self.batch)
    defer { query.reset() }
    var (count, told): (Int, String?) = (0, nil)
    while try query.step() {
      last = query.number(0)
      count += 1
      guard let flaw = read(query) else {
        value.count(in: book)
        continue
      }
      if !hasFlaw { told = "row \(last) is left out: \(flaw)" }
      hasFlaw = true
    }
    return (count, told)
  }

  private func read(_ query: Statement) -> String? {
    value.begin()
    for (place, field) in columns {
      // Its own text of a number has but fifteen digits.
      let flaw =
        field == .latitude || field == .longitude
        ? value.set(field, Array(query.optionalReal(place).utf8).span)
        : query.withText(place) { value.set(field, $0) }
      if let flaw { return flaw }
    }
    return nil
  }
}

extension Statement {
  /// A number in full; nothing where there is none.
  fileprivate func optionalReal(_ column: Int32) -> String {
    type(column) == .nothing ? "" : "\(real(column))"
  }
}

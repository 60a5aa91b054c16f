import SondeRecords
import SondeSQLite

/// Counts the records in a database without asking any provider.
///
/// It may be used by one thread at a time.
package final class RecordDatabaseReader {
  /// The number of rows per read, whose records take less than the memory that malloc takes from
  /// the system and returns each time.
  private static let batch = 2048

  /// The position in bytes of the file: nothing, or all.
  package private(set) var position: UInt64 = 0

  private let path: String
  private let size: UInt64
  private let book: any RecordBook
  /// The columns known to Sonde.
  private let columns: [Field]
  private var value: RecordValue
  private var last = Int64.min
  private var hasFlaw = false

  package init(path: String, size: UInt64, _ book: any RecordBook) throws(InputError) {
    (self.path, self.size, self.book) = (path, size, book)
    value = RecordValue(keepsAll: book.needsAllFields)
    do throws(SQLiteError) {
      let names = try RecordDatabase(path: path).openForReading().recordColumns()
      columns = names.compactMap { Field(name: $0) }
    } catch {
      throw InputError(table: path, error)
    }
    guard columns.contains(.ip) else {
      throw InputError(name: path, reason: RecordDatabase.isMissing)
    }
  }

  /// Counts the next records; returns whether they were the last ones, and any error.
  package func read() -> (isLast: Bool, failure: InputError?) {
    do throws(SQLiteError) {
      let (count, flaw) = try count()
      if count == 0 { position = size }
      return (count == 0, flaw.map { InputError(name: path, reason: $0) })
    } catch {
      return (true, InputError(table: path, error))
    }
  }

  /// Counts rows; returns their number, and the error of the first that is not a record.
  private func count() throws(SQLiteError) -> (count: Int, flaw: String?) {
    let database = try RecordDatabase(path: path).openForReading()
    var (count, told): (Int, String?) = (0, nil)
    last = try database.eachRecord(columns.map(\.name), behind: last, limit: Self.batch) {
      count += 1
      guard let flaw = read($1) else { return value.count(in: book) }
      if !hasFlaw { told = "row \($0) is left out: \(flaw)" }
      hasFlaw = true
    }
    return (count, told)
  }

  /// Reads the values of a row; returns why it is not a record, if so.
  private func read(_ row: Statement?) -> String? {
    guard let row else { return RecordDatabase.isTooLong }
    value.begin()
    for (index, field) in columns.enumerated() {
      // The first column is the row's number.
      let place = Int32(clamping: index + 1)
      // SQLite's own conversion to text has only fifteen digits.
      let flaw =
        field == .latitude || field == .longitude
        ? value.set(field, Array(row.optionalReal(place).utf8).span)
        : row.withText(place) { value.set(field, $0) }
      if let flaw { return flaw }
    }
    return nil
  }
}

extension Statement {
  /// A number with all digits; empty if there is none.
  fileprivate func optionalReal(_ column: Int32) -> String {
    type(column) == .nothing ? "" : "\(real(column))"
  }
}

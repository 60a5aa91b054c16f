import Glibc
import SondeAddresses
import SondeFollow
import SondeInputs
package import SondeRecords
package import SondeSQLite
import SondeSystem

/// What is kept of a followed log: how far it was read, and what was counted, in one file.
///
/// It is used by one thread at a time. Readers have connections of their own.
package final class LogDatabase {
  /// The application ID in the header of the file: `slog`.
  private static let applicationID: Int64 = 0x736c_6f67

  /// The pages in the write-ahead log beyond which it is written back.
  private static let mostFrames = 1000

  private static let tables = """
    CREATE TABLE log(
      path TEXT NOT NULL, since INTEGER NOT NULL, lines INTEGER NOT NULL, hits INTEGER NOT NULL,
      ten_seconds INTEGER NOT NULL, five_minutes INTEGER NOT NULL, written INTEGER NOT NULL
    );
    CREATE TABLE addresses(
      number INTEGER PRIMARY KEY, high INTEGER NOT NULL, low INTEGER NOT NULL, zone BLOB,
      asked INTEGER,            -- NULL: there is no answer yet
      place INTEGER, words BLOB
    );
    CREATE TABLE places(
      number INTEGER PRIMARY KEY, latitude REAL NOT NULL, longitude REAL NOT NULL,
      name TEXT NOT NULL
    );
    CREATE TABLE steps(
      length INTEGER NOT NULL, start INTEGER NOT NULL, hits INTEGER NOT NULL, counts BLOB NOT NULL,
      PRIMARY KEY(length, start)
    ) WITHOUT ROWID;
    \(PositionTable.definition)
    """

  /// The totals of a log.
  struct Totals: Equatable {
    var lines: Int64
    var hits: Int64
    var bounds: StepBounds
  }

  let database: Database
  /// The columns of the table of records.
  private let columns: [Field]
  private let insertion: String

  /// Opens the file of a log, which is created if missing.
  ///
  /// - Throws: ``SQLiteError``.
  package init(_ path: String, columns: [Field]) throws(SQLiteError) {
    if FileStatus(path: path) == nil {
      do throws(SystemError) {
        _ = try Descriptor(opening: path, O_RDWR | O_CREAT, mode: 0o600)
      } catch {
        throw SQLiteError(.failing, "\(error)")
      }
    }
    self.columns = columns
    database = try Database(path: resolvedPath(path), .writing, wait: LockWait())
    database.keepsLog = false
    try VersionedTables(applicationID: Self.applicationID, steps: [Self.tables]).prepare(database)
    try database.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4096;
      PRAGMA secure_delete = ON;
      """
    )
    let values = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
    insertion =
      "INSERT OR REPLACE INTO \(RecordDatabase.name) (rowid, \(RecordDatabase.names(columns))) "
      + "VALUES (\(values))"
    try prepareRecords(path)
  }

  /// Creates the table of records, anew where it has other columns; then all are asked for again.
  private func prepareRecords(_ path: String) throws(SQLiteError) {
    let found = try database.rows("SELECT name FROM pragma_table_info('records')") { $0.text(0) }
    if found == columns.map(\.name) { return }
    try transaction { () throws(SQLiteError) in
      try database.execute(
        "DROP TABLE IF EXISTS records; UPDATE addresses SET asked = NULL, place = NULL, words = NULL"
      )
      try RecordDatabase(path: path).make(columns, in: database)
    }
  }

  /// Runs changes of which all are kept, or none.
  ///
  /// - Throws: ``SQLiteError``.
  func transaction<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try database.execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try database.execute("COMMIT")
      if database.framesInLog > Self.mostFrames { try database.checkpoint() }
      return result
    } catch {
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      throw error
    }
  }

  // MARK: - The log

  /// The path of the log, if it was followed before.
  package func path() throws(SQLiteError) -> String? { try database.text("SELECT path FROM log") }

  /// When it was last written, in seconds since 1970 UTC.
  package func written() throws(SQLiteError) -> Int64? {
    try database.number("SELECT written FROM log")
  }

  /// Begins to keep a log.
  func begin(_ path: String, at now: Int64) throws(SQLiteError) {
    let bounds = StepBounds(at: now)
    try database.run(
      "INSERT INTO log VALUES (?, ?, 0, 0, ?, ?, ?)",
      [
        .text(path), .number(now), .number(bounds.tenSeconds), .number(bounds.fiveMinutes),
        .number(now),
      ]
    )
  }

  /// When the log was first followed, and its totals; `nil` for a new one.
  func totals() throws(SQLiteError) -> (since: Int64, totals: Totals)? {
    let rows: [(since: Int64, totals: Totals)] = try database.rows(
      "SELECT since, lines, hits, ten_seconds, five_minutes FROM log"
    ) { row in
      let bounds = StepBounds(tenSeconds: row.number(3), fiveMinutes: row.number(4))
      return (row.number(0), Totals(lines: row.number(1), hits: row.number(2), bounds: bounds))
    }
    return rows.first
  }

  func save(_ totals: Totals, at now: Int64) throws(SQLiteError) {
    try database.run(
      "UPDATE log SET lines = ?, hits = ?, ten_seconds = ?, five_minutes = ?, written = ?",
      [
        .number(totals.lines), .number(totals.hits), .number(totals.bounds.tenSeconds),
        .number(totals.bounds.fiveMinutes), .number(now),
      ]
    )
  }

  // MARK: - Steps

  /// Adds hits to a step.
  func add(_ counts: StepCounts, to step: LogStep) throws(SQLiteError) {
    var all = counts
    let key: [BoundValue] = [.number(step.length.rawValue), .number(step.start)]
    for known in try database.rows(
      "SELECT counts FROM steps WHERE length = ? AND start = ?",
      key,
      read: { $0.withBytes(0) { bytes in bytes.indices.map { bytes[$0] } } }
    ) {
      all.add(stored: known.span)
    }
    try database.run(
      "INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?)",
      key + [.number(Int64(all.total)), .bytes(all.stored)]
    )
  }

  /// Adds up steps in coarser ones.
  func fold(_ folding: StepBounds.Folding) throws(SQLiteError) {
    var folded: [LogStep: StepCounts] = [:]
    try forEachStep(folding.from, in: folding.range) { start, bytes in
      let step = LogStep(length: folding.to, start: folding.to.start(of: start))
      folded[step, default: StepCounts()].add(stored: bytes)
    }
    for (step, counts) in folded { try add(counts, to: step) }
  }

  /// Removes the steps that are not shown any more; returns the numbers that were hit in those of
  /// five minutes.
  func removeSteps(at now: Int64) throws(SQLiteError) -> Set<UInt32> {
    var numbers: Set<UInt32> = []
    let start = StepLength.fiveMinutes.range(at: now).lowerBound
    try forEachStep(.fiveMinutes, in: .min..<start) { _, bytes in
      StepCounts.forEach(in: bytes) { number, _ in numbers.insert(number) }
    }
    for length in StepLength.allCases {
      try database.run(
        "DELETE FROM steps WHERE length = ? AND start < ?",
        [.number(length.rawValue), .number(length.range(at: now).lowerBound)]
      )
    }
    return numbers
  }

  /// Reads the steps of a length in a range, in order.
  func forEachStep(
    _ length: StepLength,
    in range: Range<Int64>,
    _ body: (Int64, Span<UInt8>) -> Void
  ) throws(SQLiteError) {
    let statement = try database.statement(
      "SELECT start, counts FROM steps WHERE length = ? AND start >= ? AND start < ? ORDER BY start"
    )
    statement.bind([
      .number(length.rawValue), .number(range.lowerBound), .number(range.upperBound),
    ])
    defer { statement.reset() }
    while try statement.step() {
      let start = statement.number(0)
      statement.withBytes(1) { body(start, $0) }
    }
  }
}

// MARK: - Addresses

extension LogDatabase {
  /// An address as it is kept.
  struct KeptAddress {
    let number: UInt32
    let address: Address
    let zone: [UInt8]?
    let asked: Int64?
    let place: UInt32?
  }

  func forEachAddress(_ body: (KeptAddress) -> Void) throws(SQLiteError) {
    let statement = try database.statement(
      "SELECT number, high, low, zone, asked, place FROM addresses ORDER BY number"
    )
    defer { statement.reset() }
    while try statement.step() {
      let zone = statement.withBytes(3) { bytes in bytes.indices.map { bytes[$0] } }
      body(
        KeptAddress(
          number: UInt32(clamping: statement.number(0)),
          address: Address(
            high: UInt64(bitPattern: statement.number(1)),
            low: UInt64(bitPattern: statement.number(2))
          ),
          zone: zone.isEmpty ? nil : zone,
          asked: statement.optionalNumber(4),
          place: statement.optionalNumber(5).map { UInt32(clamping: $0) }
        )
      )
    }
  }

  func add(_ number: UInt32, _ address: Address, _ zone: [UInt8]?) throws(SQLiteError) {
    try database.run(
      "INSERT OR REPLACE INTO addresses(number, high, low, zone) VALUES (?, ?, ?, ?)",
      [
        .number(Int64(number)), .number(Int64(bitPattern: address.high)),
        .number(Int64(bitPattern: address.low)), .bytes(zone),
      ]
    )
  }

  /// Keeps an answer.
  func settle(_ answer: LogAnswer, place: UInt32?) throws(SQLiteError) {
    let number = Int64(answer.number)
    let statement = try database.statement(made: insertion)
    statement.bind(1, number)
    var position = 0
    for index in columns.indices {
      statement.bind(Int32(index + 2), valueAt: &position, of: answer.row.span)
    }
    try statement.run()
    try database.run(
      "UPDATE addresses SET asked = ?, place = ?, words = ? WHERE number = ?",
      [
        .number(answer.asked), .number(place.map(Int64.init)), .bytes(answer.words),
        .number(number),
      ]
    )
  }

  func remove(_ numbers: some Sequence<UInt32>) throws(SQLiteError) {
    for number in numbers {
      try database.run("DELETE FROM addresses WHERE number = ?", [.number(Int64(number))])
      try database.run("DELETE FROM records WHERE rowid = ?", [.number(Int64(number))])
    }
  }

  /// What stands in brackets behind an address; `nil` before there is an answer.
  func words(of number: UInt32) throws(SQLiteError) -> [UInt8]? {
    try database.rows(
      "SELECT words FROM addresses WHERE number = ? AND words IS NOT NULL",
      [.number(Int64(number))]
    ) { row in
      row.withBytes(0) { bytes in bytes.indices.map { bytes[$0] } }
    }.first
  }

  func places() throws(SQLiteError) -> [LogPlace] {
    try database.rows("SELECT latitude, longitude, name FROM places ORDER BY number") { row in
      LogPlace(latitude: row.real(0), longitude: row.real(1), name: row.text(2))
    }
  }

  func add(_ place: LogPlace, _ number: UInt32) throws(SQLiteError) {
    let statement = try database.statement("INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?)")
    statement.bind(1, Int64(number))
    statement.bind(2, real: place.latitude)
    statement.bind(3, real: place.longitude)
    statement.bind(4, place.name)
    try statement.run()
  }
}

import Glibc
import SondeInputs
public import SondeRecords
package import SondeSQLite
package import SondeSystem

/// A table that receives rows in the form of `TableRow`; its own thread does the blocking writes.
///
/// Written rows are kept once they are committed; until then, and if the process is killed, the
/// table is unchanged. The sink waits while another program has locked the database.
public actor RecordDatabaseSink: RecordSink {
  private static let count: StaticString = "SELECT count(*) FROM records"

  private let executor = BlockingExecutor(label: "sonde.table")
  /// The path of the file.
  public nonisolated let name: String
  private let table: RecordDatabase
  /// The columns of a table that is still to be created.
  private let newColumns: [Field]?
  /// Whether the database contains only records.
  private let isOwn: Bool
  private let waiting: LockedDatabase
  /// The statement for each row, and the number of its values.
  private let statement: String
  private let valueCount: Int32
  private let wait = LockWait()
  private var database: Database?
  /// The expected number of rows, once this run writes to the table.
  private var rowCount: Int64?
  /// The file, destroyed last, since closing it also drops SQLite's locks (fcntl(2)).
  private let file: OutputFile

  /// The executor of a separate thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a database's file, which must be missing or empty; ``empty()`` then creates the table.
  public init(
    path: String,
    columns: [Field],
    waiting: LockedDatabase = LockedDatabase()
  ) throws(OutputError) {
    let file = try Self.make(path)
    let statement = RecordDatabase.insertion(of: columns)
    self.init(file, statement, valueCount: columns.count, newColumns: columns, waiting)
  }

  private init(
    _ file: OutputFile,
    _ statement: String,
    valueCount: Int,
    newColumns: [Field]? = nil,
    isOwn: Bool = true,
    _ waiting: LockedDatabase
  ) {
    (self.file, name, table) = (file, file.path, RecordDatabase(path: file.path))
    (self.statement, self.newColumns) = (statement, newColumns)
    (self.isOwn, self.waiting) = (isOwn, waiting)
    self.valueCount = Int32(clamping: valueCount)
  }

  /// Creates the file of a database, or opens an empty one.
  package static func make(_ path: String) throws(OutputError) -> OutputFile {
    let file = try open(path, O_CREAT)
    guard file.isRegular, FileStatus(descriptor: file.descriptor.number)?.size == 0 else {
      throw OutputError(name: path, code: EEXIST)
    }
    return file
  }

  /// Locks a database against other writers until it is closed.
  package static func open(_ path: String, _ flags: Int32 = 0) throws(OutputError) -> OutputFile {
    do throws(OutputFileError) {
      return try OutputFile(opening: path, O_RDWR | O_NOCTTY | flags, mode: 0o666)
    } catch {
      throw OutputError(name: path, error)
    }
  }

  /// The file of a database, and all files that may be created next to it.
  public static func files(of path: String) -> [String] {
    [path] + RecordDatabase.companions.map { path + $0 }
  }

  /// Creates a sink that changes rows, each given as a mask, its new values and its number.
  ///
  /// `bits` are the columns' bits in the mask.
  package static func changing(
    _ file: OutputFile,
    _ columns: [Field],
    bits: [Int],
    waiting: LockedDatabase
  ) -> RecordDatabaseSink {
    let statement = RecordDatabase.change(of: columns, bits: bits)
    return RecordDatabaseSink(file, statement, valueCount: columns.count + 2, isOwn: false, waiting)
  }

  /// Opens a table written before, to append after a journal's mark; throws if it has changed.
  static func resuming(
    _ path: String,
    columns: [Field],
    at mark: OutputMark,
    waiting: LockedDatabase
  ) throws(ResumeError) -> WrittenFile {
    let file: OutputFile
    do throws(OutputError) {
      // The file may not even have been created.
      file = try open(path, O_CREAT)
    } catch {
      throw ResumeError(error)
    }
    let table = RecordDatabase(path: path)
    let found: RecordDatabase.Beginning
    do throws(SQLiteError) {
      found = try waiting.run(path) { () throws(SQLiteError) in
        try table.beginning(columns, upTo: mark)
      }
    } catch {
      throw ResumeError(path, error, "; remove the journal and the output to begin anew")
    }
    let count = found.hash.count
    guard count == mark.length, count == 0 || found.hash.value == mark.hash else {
      throw .changed(path, isCutShort: count < mark.length)
    }
    let statement = RecordDatabase.insertion(of: columns)
    let sink = RecordDatabaseSink(file, statement, valueCount: columns.count, waiting)
    return WrittenFile(sink: sink, hash: found.hash) { () throws(ResumeError) in
      do throws(SQLiteError) {
        try waiting.run(path) { () throws(SQLiteError) in try table.cut(behind: found.lastRow) }
      } catch {
        throw ResumeError(path, error)
      }
    }
  }

  /// Creates the table, in a file created for it.
  public func empty() throws(OutputError) {
    guard let newColumns else { return }
    try perform { database throws(SQLiteError) in try table.make(newColumns, in: database) }
  }

  /// Removes the file if it was created here.
  public func discard() {
    database = nil
    guard file.isMade, file.isInPlace else { return }
    for file in Self.files(of: name) { _ = unsafe unlink(file) }
  }

  /// Writes rows in the current transaction, or starts one.
  public func write(_ bytes: [UInt8]) throws(OutputError) {
    guard !bytes.isEmpty else { return }
    try perform { database throws(SQLiteError) in
      guard !database.isInTransaction else { return }
      try database.execute("BEGIN IMMEDIATE")
      if isOwn, rowCount == nil { rowCount = try database.number(Self.count) }
    }
    // The transaction locks the database, so that no step is repeated.
    try perform { database throws(SQLiteError) in
      let statement = try database.statement(made: statement)
      var position = 0
      while position < bytes.count {
        for index in 1...valueCount { statement.bind(index, valueAt: &position, of: bytes.span) }
        try statement.run()
        rowCount? += 1
      }
    }
  }

  /// Commits the current transaction.
  public func commit() throws(OutputError) {
    if database?.isInTransaction == true {
      try perform { database throws(SQLiteError) in try database.execute("COMMIT") }
    }
    guard file.isInPlace else { throw .displaced(name) }
  }

  /// Commits, waits until everything is on disk, and then runs a closure.
  public func sync(then settle: @Sendable () throws(OutputError) -> Void) throws(OutputError) {
    try commit()
    // After the commit, everything is on disk.
    if database != nil {
      try perform { database throws(SQLiteError) in _ = try database.checkpoint() }
    }
    try settle()
  }

  /// Commits, and leaves a single file, unless others have the database open.
  public func end() throws(OutputError) {
    try commit()
    if isOwn {
      try checkCount()
      // Even if this run wrote nothing, since an earlier one may have been killed.
      try perform { database throws(SQLiteError) in
        try? database.execute("PRAGMA journal_mode = DELETE")
      }
    }
    database = nil
  }

  /// Checks that no other program or trigger has added or deleted rows.
  private func checkCount() throws(OutputError) {
    guard let rowCount else { return }
    var found: Int64?
    try perform { database throws(SQLiteError) in found = try database.number(Self.count) }
    guard found == rowCount else { throw .changed(name) }
  }

  /// Runs a body, again while another program has locked the database; failures are rolled back.
  private func perform(_ body: (Database) throws(SQLiteError) -> Void) throws(OutputError) {
    do throws(SQLiteError) {
      try waiting.run(name) { () throws(SQLiteError) in
        wait.begin(RecordDatabase.longestWait)
        try body(opened())
      }
    } catch {
      if database?.isInTransaction == true { try? database?.execute("ROLLBACK") }
      throw file.isInPlace ? OutputError(name: name, error) : .displaced(name)
    }
  }

  private func opened() throws(SQLiteError) -> Database {
    if let database { return database }
    let opened = try table.open(withLog: isOwn, wait)
    if !isOwn { opened.distrust(longestValue: RecordDatabase.longestRow) }
    database = opened
    return opened
  }
}

extension OutputError {
  package init(name: String, _ error: SQLiteError) {
    switch error.kind {
    case .full: self.init(name: name, code: ENOSPC)
    // Locks are waited for, so the wait was ended.
    case .busy: self = .abandoned(name, error.message)
    case .tooLong:
      let limit = "a row, with what is computed in it, is longer than 16 MiB, which is not written"
      self.init(name: name, reason: "\(limit): \(RecordDatabase.remedy)")
    default: self.init(name: name, reason: error.message)
    }
  }
}

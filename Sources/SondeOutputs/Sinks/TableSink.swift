import Glibc
import SondeInputs
public import SondeRecords
package import SondeSQLite
package import SondeSystem

/// A table of a database that takes rows as `TableRow` has them, on a thread of its own, because
/// writing blocks.
///
/// What is written stays once it is committed; until then, and also where the process is killed, the
/// table is as it was. While another program has the database locked, the sink waits.
public actor TableSink: RecordSink {
  private static let count: StaticString = "SELECT count(*) FROM records"

  private let executor = BlockingExecutor(label: "sonde.table")
  /// The path of the file.
  public nonisolated let name: String
  private let table: RecordTable
  /// The columns of a table that is still to be made.
  private let newColumns: [Field]?
  /// Whether the database is one of records and nothing else.
  private let isOwn: Bool
  private let waiting: LockedTable
  /// What is done with each row, and how many values that has.
  private let statement: String
  private let valueCount: Int32
  private let wait = LockWait()
  private var database: Database?
  /// The rows that the table is to have, once this run writes to it.
  private var rowCount: Int64?
  /// The file, the last to be destroyed: closing it drops SQLite's locks, too (fcntl(2)).
  private let file: OutputFile

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes the file of a database; ``empty()`` then makes the table.
  ///
  /// - Parameters:
  ///   - path: The file, which must not be there yet, or be empty.
  ///   - columns: The columns of the table.
  ///   - waiting: How to wait while another program has the database locked.
  /// - Throws: ``OutputError``.
  public init(
    path: String,
    columns: [Field],
    waiting: LockedTable = LockedTable()
  ) throws(OutputError) {
    let file = try Self.make(path)
    let statement = RecordTable.insertion(of: columns)
    self.init(file, statement, valueCount: columns.count, newColumns: columns, waiting)
  }

  private init(
    _ file: OutputFile,
    _ statement: String,
    valueCount: Int,
    newColumns: [Field]? = nil,
    isOwn: Bool = true,
    _ waiting: LockedTable
  ) {
    (self.file, name, table) = (file, file.path, RecordTable(path: file.path))
    (self.statement, self.newColumns) = (statement, newColumns)
    (self.isOwn, self.waiting) = (isOwn, waiting)
    self.valueCount = Int32(clamping: valueCount)
  }

  /// Makes the file of a database, or takes an empty one.
  package static func make(_ path: String) throws(OutputError) -> OutputFile {
    let file = try open(path, O_CREAT)
    guard file.isRegular, FileStatus(descriptor: file.descriptor.number)?.size == 0 else {
      throw OutputError(name: path, code: EEXIST)
    }
    return file
  }

  /// Keeps others from writing a database, from before it is opened until after it is closed.
  package static func open(_ path: String, _ flags: Int32 = 0) throws(OutputError) -> OutputFile {
    do throws(OutputFileError) {
      return try OutputFile(opening: path, O_RDWR | O_NOCTTY | flags, mode: 0o666)
    } catch {
      throw OutputError(name: path, error)
    }
  }

  /// The file of a database, and every file that may be put beside it.
  public static func files(of path: String) -> [String] {
    [path] + RecordTable.companions.map { path + $0 }
  }

  /// Changes the rows of a table: each comes as a number, its new values and its own number.
  ///
  /// - Parameters:
  ///   - file: The file of the database.
  ///   - columns: The columns that are changed.
  ///   - bits: For each of them a bit that the first number has where it is to be changed.
  ///   - waiting: How to wait while another program has the database locked.
  /// - Returns: The sink.
  package static func changing(
    _ file: OutputFile,
    _ columns: [Field],
    bits: [Int],
    waiting: LockedTable
  ) -> TableSink {
    let statement = RecordTable.change(of: columns, bits: bits)
    return TableSink(file, statement, valueCount: columns.count + 2, isOwn: false, waiting)
  }

  /// Opens a table that was written before, to append to what a journal says of it.
  ///
  /// - Parameters:
  ///   - path: The file of the database.
  ///   - columns: The columns of the table.
  ///   - mark: How far it was, by the journal.
  ///   - waiting: How to wait while another program has the database locked.
  /// - Returns: The sink, the hash of its rows, and what takes away those that the journal does not
  ///   know.
  /// - Throws: ``ResumeError`` when it has changed since.
  static func resuming(
    _ path: String,
    columns: [Field],
    at mark: OutputMark,
    waiting: LockedTable
  ) throws(ResumeError) -> WrittenFile {
    let file: OutputFile
    do throws(OutputError) {
      // It may not even have been made.
      file = try open(path, O_CREAT)
    } catch {
      throw ResumeError(error)
    }
    let table = RecordTable(path: path)
    let found: RecordTable.Beginning
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
    let statement = RecordTable.insertion(of: columns)
    let sink = TableSink(file, statement, valueCount: columns.count, waiting)
    return WrittenFile(sink: sink, hash: found.hash) { () throws(ResumeError) in
      do throws(SQLiteError) {
        try waiting.run(path) { () throws(SQLiteError) in try table.cut(behind: found.lastRow) }
      } catch {
        throw ResumeError(path, error)
      }
    }
  }

  /// Makes the table, in a file that was made for it.
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

  /// Writes rows into the transaction under way, or begins one.
  public func write(_ bytes: [UInt8]) throws(OutputError) {
    guard !bytes.isEmpty else { return }
    try perform { database throws(SQLiteError) in
      guard !database.isInTransaction else { return }
      try database.execute("BEGIN IMMEDIATE")
      if isOwn, rowCount == nil { rowCount = try database.number(Self.count) }
    }
    // Which has the database locked, so that nothing of it is done twice.
    try perform { database throws(SQLiteError) in
      let statement = try database.statement(made: statement)
      var position = 0
      while position < bytes.count {
        for index in 1...valueCount { statement.bindValue(index, of: bytes.span, at: &position) }
        try statement.run()
        rowCount? += 1
      }
    }
  }

  /// Ends the transaction under way: what is written stays.
  public func commit() throws(OutputError) {
    if database?.isInTransaction == true {
      try perform { database throws(SQLiteError) in try database.execute("COMMIT") }
    }
    guard file.isInPlace else { throw .displaced(name) }
  }

  /// Commits, waits until everything is on the disk, and then does something more.
  public func sync(then settle: @Sendable () throws(OutputError) -> Void) throws(OutputError) {
    try commit()
    // Once it has ended, all of it is on the disk.
    if database != nil {
      try perform { database throws(SQLiteError) in _ = try database.checkpoint() }
    }
    try settle()
  }

  /// Commits, and leaves one file, unless others have the database open.
  public func end() throws(OutputError) {
    try commit()
    if isOwn {
      try checkCount()
      // Also where this run wrote nothing: one before it may have been killed.
      try perform { database throws(SQLiteError) in
        try? database.execute("PRAGMA journal_mode = DELETE")
      }
    }
    database = nil
  }

  /// Checks that no other program, and no trigger, has added or deleted rows.
  private func checkCount() throws(OutputError) {
    guard let rowCount else { return }
    var found: Int64?
    try perform { database throws(SQLiteError) in found = try database.number(Self.count) }
    guard found == rowCount else { throw .changed(name) }
  }

  /// Does something with the database, again and again while another program has it locked, and takes
  /// back what was not committed where it fails.
  private func perform(
    _ body: (Database) throws(SQLiteError) -> Void
  ) throws(OutputError) {
    do throws(SQLiteError) {
      try waiting.run(name) { () throws(SQLiteError) in
        wait.begin(RecordTable.longestWait)
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
    if !isOwn { opened.distrust(longestValue: RecordTable.longestRow) }
    database = opened
    return opened
  }
}

extension Statement {
  /// Sets a parameter to the value of a row that stands at a position, and moves that behind it.
  fileprivate func bindValue(_ index: Int32, of row: Span<UInt8>, at position: inout Int) {
    switch TableRow.value(at: &position, in: row) {
    case .missing: bindNothing(index)
    case .integer(let number): bind(index, number)
    case .real(let number): bind(index, real: number)
    case .text(let range): bind(index, text: row.extracting(range))
    }
  }
}

extension OutputError {
  /// A failure of a database.
  package init(name: String, _ error: SQLiteError) {
    switch error.kind {
    case .full: self.init(name: name, code: ENOSPC)
    // Locks are waited for, so the wait was ended.
    case .busy: self = .abandoned(name, error.message)
    case .tooLong:
      let limit = "a row, with what is computed in it, is longer than 16 MiB, which is not written"
      self.init(name: name, reason: "\(limit): \(RecordTable.remedy)")
    default: self.init(name: name, reason: error.message)
    }
  }
}

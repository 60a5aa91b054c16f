import CSondeSQLite
import Glibc

/// A connection to a database.
///
/// It is opened without SQLite's mutexes (https://www.sqlite.org/threadsafe.html, multi-thread
/// mode), so it must have one owner, an actor whose thread makes all calls.
@safe
public final class Database {
  /// The access mode.
  public enum Access: Sendable {
    /// Reading and writing.
    case writing
    /// Reading only.
    case reading
    /// Reading a file that does not change, without locks and shared memory.
    case immutable
  }

  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  private let wait: LockWait
  /// The size of the log, as reported by SQLite after the last commit.
  private let walFrames: UnsafeMutablePointer<Int32>
  /// The number of log pages last written back.
  private var framesDone = 0
  private var steps: StepLimit?
  private var stop: StopRequest?

  /// Opens an existing database, whose calls wait for locks as set in `wait`.
  public init(path: String, _ access: Access, wait: LockWait) throws(SQLiteError) {
    self.wait = wait
    _ = Self.isConfigured
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    flags |= access == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    var handle: OpaquePointer?
    let uri = Self.uri(path) + (access == .immutable ? "?immutable=1" : "")
    let code = unsafe sqlite3_open_v2(uri, &handle, flags, nil)
    guard let opened = unsafe handle, code == SQLITE_OK else {
      let message = unsafe String(cString: sqlite3_errstr(code))
      unsafe sqlite3_close_v2(handle)
      throw SQLiteError(code: code, message: message)
    }
    unsafe self.handle = opened
    unsafe walFrames = .allocate(capacity: 1)
    unsafe walFrames.initialize(to: 0)
    configure()
  }

  deinit {
    for statement in statements.values { statement.finalize() }
    unsafe sqlite3_close_v2(handle)
    unsafe walFrames.deallocate()
  }

  private static let isConfigured =
    sonde_sqlite_set_global_switch(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK

  private func configure() {
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe sonde_sqlite_set_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe sonde_sqlite_set_switch(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    keepsLog = true
    // SQLite's own handler eventually waits a tenth of a second at a time, although commits take
    // less than a thousandth.
    unsafe sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context = unsafe context else { return 0 }
        let wait = unsafe Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue()
        if wait.isOver { return 0 }
        usleep(count < 20 ? 200 : 2000)
        return 1
      },
      Unmanaged.passUnretained(wait).toOpaque()
    )
    unsafe sqlite3_wal_hook(
      handle,
      { context, _, _, frames in
        unsafe context?.storeBytes(of: frames, as: Int32.self)
        return SQLITE_OK
      },
      walFrames
    )
  }

  /// Whether closing keeps the log.
  ///
  /// Otherwise the last process to close writes the log back and removes it by its path, which is
  /// only allowed while no other database can be at that path.
  public var keepsLog = false {
    didSet {
      var isOn: Int32 = keepsLog ? 1 : 0
      unsafe sonde_sqlite_set_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn)
      unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }
  }

  private static func uri(_ path: String) -> String {
    let special = Array("?#%".utf8)
    return path.utf8.reduce(into: "file:") { uri, byte in
      if byte >= 128 || special.contains(byte) {
        uri += "%" + String(byte, radix: 16)
      } else {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
  }

  /// The number of pages in the write-ahead log that were not written back by the last commit.
  ///
  /// A log that was written back is restarted when nobody reads it; until then it grows.
  public var framesInLog: Int {
    let frames = unsafe Int(walFrames.pointee)
    return frames >= framesDone ? frames - framesDone : frames
  }

  /// Limits an untrusted database before its first statement: reading a value or writing a row of
  /// more bytes fails as `SQLiteError.Kind.tooLong`, before memory is allocated.
  ///
  /// Triggers and views are disabled, since they could compute endlessly.
  public func distrust(longestValue: Int32) {
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longestValue)
    unsafe sonde_sqlite_set_switch(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    unsafe sonde_sqlite_set_switch(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
  }

  /// Limits the following statements to a total of about `count` steps of SQLite's virtual machine
  /// (https://www.sqlite.org/opcode.html), beyond which they fail as
  /// `SQLiteError.Kind.tooManySteps`.
  public func limitSteps(_ count: Int) {
    if let steps { return steps.left = count }
    let limit = StepLimit(count)
    steps = limit
    unsafe sqlite3_progress_handler(
      handle,
      StepLimit.stride,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<StepLimit>.fromOpaque(context).takeUnretainedValue().pass()
      },
      Unmanaged.passUnretained(limit).toOpaque()
    )
  }

  /// Ends the running statement and all later ones as `SQLiteError.Kind.tooManySteps` once a stop
  /// is requested; it replaces a limit of steps.
  public func end(by stop: StopRequest) {
    self.stop = stop
    unsafe sqlite3_progress_handler(
      handle,
      StepLimit.stride,
      { context in
        guard let context = unsafe context else { return 0 }
        let stop = unsafe Unmanaged<StopRequest>.fromOpaque(context).takeUnretainedValue()
        return stop.isMade ? 1 : 0
      },
      Unmanaged.passUnretained(stop).toOpaque()
    )
  }

  /// Adds a function to SQL, `contains(TEXT, VALUE, …)`: whether any value contains a text in lower
  /// case, ignoring the case of ASCII letters.
  package func enableTextSearch() throws(SQLiteError) {
    try check(unsafe TextSearch.add(to: handle))
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// The ID of the last inserted row.
  public var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// The number of rows changed by the last statement.
  public var changes: Int { unsafe Int(sqlite3_changes(handle)) }

  /// Runs statements and ignores their results.
  public func execute(_ sql: String) throws(SQLiteError) {
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// The prepared statement of a text, created once; it must not be in use.
  public func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
    try statement(made: "\(sql)")
  }

  /// The prepared statement of a composed text, in which every name must be ``quoted(_:)``.
  public func statement(made sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] { return statement }
    var handle: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let code = unsafe sqlite3_prepare_v3(self.handle, sql, -1, flags, &handle, nil)
    try check(code)
    guard let prepared = unsafe handle else { throw SQLiteError(.failing, "no statement: \(sql)") }
    let statement = unsafe Statement(prepared, of: self.handle)
    statements[sql] = statement
    return statement
  }

  /// A quoted name for statements (https://www.sqlite.org/lang_keywords.html).
  public static func quoted(_ name: String) -> String {
    var quoted = "\""
    for character in name { quoted += character == "\"" ? "\"\"" : String(character) }
    return quoted + "\""
  }

  /// The first text in a query's result; `nil` if there is none.
  public func text(_ sql: StaticString) throws(SQLiteError) -> String? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// Copies this database to an empty one, in its current state.
  public func copy(to other: Database) throws(SQLiteError) {
    guard let backup = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
      try other.check(unsafe sqlite3_errcode(other.handle))
      return
    }
    unsafe sqlite3_backup_step(backup, -1)
    try other.check(unsafe sqlite3_backup_finish(backup))
  }

  /// The first number in a query's result; `nil` if there is none.
  public func number(_ sql: StaticString) throws(SQLiteError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalNumber(0) : nil
  }

  /// Writes the log back into the database, and returns whether all of it was written; `truncating`
  /// waits for all readers and empties the log.
  @discardableResult
  public func checkpoint(truncating: Bool = false) throws(SQLiteError) -> Bool {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    var (frames, done) = (Int32(0), Int32(0))
    try check(unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &done))
    framesDone = Int(max(0, done))
    unsafe walFrames.pointee = frames
    return frames == done
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code != SQLITE_OK else { return }
    throw unsafe SQLiteError(code, of: handle)
  }
}

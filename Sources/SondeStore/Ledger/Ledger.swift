import Glibc
import SondeSQLite
public import SondeSystem

/// The ledger of quotas: a small SQLite file that all processes of a user share.
///
/// No method fails: unreadable data counts as missing, and a write error is passed to `warn` once,
/// after which this process works without the ledger.
public actor Ledger: QuotaLedger {
  private let executor = BlockingExecutor(label: "sonde.ledger")
  private let keeper: DatabaseKeeper
  private let keyFile: KeyFile
  private nonisolated let hurry: @Sendable () -> Void

  /// The random identity of this process in the ledger.
  public nonisolated let holder = UInt64.random(in: 1..<1 << 62)

  /// The time since the machine was booted, which is the same for all its processes.
  public nonisolated var now: Duration { Clocks.steady }

  private var key: KeyedHash?
  /// The file whose lock shows that this process is alive.
  private var held: LockFile?

  /// The executor of a separate thread, since SQLite waits for disks and other processes.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names `quota.db` and `quota.key` in a directory, opened or created on first use; `warn`
  /// receives each kind of problem once, on the ledger's thread.
  public init(folder: String, warn: @escaping @Sendable (String) -> Void) {
    keeper = DatabaseKeeper(
      path: Self.database(in: folder),
      schema: .quotas,
      mayReplace: true,
      warn: warn
    )
    keyFile = Self.keyFile(in: folder)
    hurry = keeper.hurry
  }

  /// The files of a ledger in a directory.
  public static func files(in folder: String) -> [String] {
    StoreFile.names(at: resolvedPath(database(in: folder))) + [keyFile(in: folder).path]
  }

  private static func database(in folder: String) -> String { folder + "/quota.db" }

  /// The file in a directory with the key for hashing accounts and other possible secrets.
  public static func keyFile(in folder: String) -> KeyFile { KeyFile(path: folder + "/quota.key") }

  /// Changes the row of an account; see ``QuotaLedger/update(_:_:)``.
  public func update<R: Sendable>(
    _ account: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) -> LedgerUpdate<R> {
    change(body) { () throws(SQLiteError) in try loadKey().hash(Array(account.utf8)) }
  }

  /// Changes a row; see ``QuotaLedger/change(_:_:)``.
  public func change<R: Sendable>(
    _ key: LedgerKey,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) -> LedgerUpdate<R> {
    change(body) { key.bytes }
  }

  private func change<R: Sendable>(
    _ body: (inout LedgerRow) -> R,
    of account: () throws(SQLiteError) -> [UInt8]
  ) -> LedgerUpdate<R> {
    let result = keeper.perform(for: .writing) { connection throws(SQLiteError) in
      let account = try account()
      let liveness = try liveness()
      let table = QuotaTable(database: connection.database)
      return try connection.write { () throws(SQLiteError) in
        let bytes = try table.state(of: account)
        let time = LedgerTime(now: now, run: Boot.id, wall: Clocks.wall)
        var row = LedgerRow(bytes: bytes, time: time, liveness: liveness)
        let result = body(&row)
        if row.bytes != bytes { try table.write(row.bytes, of: account) }
        return result
      }
    }
    return result.map { .made($0) } ?? .alone
  }

  /// Reads the row of an account, including its users; see ``QuotaLedger/row(of:)``.
  public func row(of account: String) -> LedgerRow? {
    guard let key = keyFile.existing else { return seen([]) }
    let state = try? look { table throws(SQLiteError) in
      try table.state(of: key.hash(Array(account.utf8)))
    }
    return seen(state ?? [])
  }

  /// Reads all rows; see ``QuotaLedger/records()``.
  public func records() throws(LedgerFault) -> [LedgerRecord] {
    var tries = 0
    while true {
      do throws(SQLiteError) {
        let states = try look { table throws(SQLiteError) in try table.states() } ?? []
        return states.map { LedgerRecord(key: LedgerKey(bytes: $0.account), row: seen($0.state)) }
      } catch {
        // Another process may be creating it at this moment.
        tries += 1
        guard tries < 5 else { throw LedgerFault("\(keeper.path): \(error.message)") }
        usleep(20_000)
      }
    }
  }

  private func seen(_ bytes: [UInt8]) -> LedgerRow {
    let time = LedgerTime(now: now, run: Boot.id, wall: Clocks.wall)
    return LedgerRow(bytes: bytes, time: time) { _ in true }
  }

  /// Reads the existing file; `nil` if there is none.
  private func look<R>(_ body: (QuotaTable) throws(SQLiteError) -> R) throws(SQLiteError) -> R? {
    let path = resolvedPath(keeper.path)
    guard FileStatus(path: path) != nil else { return nil }
    // The log exists while others are using the database, or is left over from a killed process;
    // so does its index. Without them, the database file is complete, and SQLite would create them
    // to read it.
    let isAlone = ["-wal", "-shm"].contains { FileStatus(path: path + $0) == nil }
    let database = try Database(path: path, isAlone ? .immutable : .reading, wait: LockWait())
    if try Schema.quotas.isEmpty(database) { return nil }
    try Schema.quotas.check(database)
    return try body(QuotaTable(database: database))
  }

  /// Closes the ledger within a second, even if others hold the file.
  public nonisolated func close() async {
    hurry()
    await end()
  }

  private func end() {
    held = nil
    keeper.close()
  }

  private func loadKey() throws(SQLiteError) -> KeyedHash {
    if let key { return key }
    do throws(SystemError) {
      let loaded = try keyFile.load()
      key = loaded
      return loaded
    } catch {
      throw SQLiteError(system: keyFile.path, code: error.code)
    }
  }

  /// Returns a check for living processes, after marking this one as alive.
  private func liveness() throws(SQLiteError) -> @Sendable (UInt64) -> Bool {
    guard let lock = keeper.file?.lock else {
      throw SQLiteError(.forbidden, "its folder may not be written")
    }
    if held !== lock {
      guard lock.hold(holder) else { throw SQLiteError(.forbidden, "files have no locks there") }
      held = lock
    }
    let holder = holder
    return { $0 == holder || lock.isHeld($0) }
  }
}

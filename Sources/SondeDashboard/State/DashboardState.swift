import Glibc
import SondeSQLite
import SondeSystem

/// The persistent state of the dashboard: a small database, and a folder for each scan.
///
/// Written data survives `kill -9`. All calls run on a separate thread, because a disk may be slow.
public actor DashboardState {
  /// How long a call waits for another program that has locked the database.
  private static let longestWait = Duration.seconds(5)

  private let executor = BlockingExecutor(label: "sonde.state")

  /// Accessible only to the owner.
  public nonisolated let folder: String

  private let database: Database
  private let wait = LockWait()

  /// Held while the server runs.
  private let lock: Descriptor

  /// Look-ups to be written with the next transaction.
  nonisolated let lookups = PendingLookups()

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens the state in `folder`, which is created if missing.
  ///
  /// - Throws: ``StateError``, also if another server uses it.
  public init(folder: String) throws(StateError) {
    if let obstacle = makePrivateFolders(folder) {
      throw StateError("\(obstacle.name): \(SystemError(obstacle.code))")
    }
    self.folder = folder
    lock = try Self.lock(folder + "/serve.lock")
    let path = folder + "/serve.db"
    do throws(SystemError) {
      _ = try Descriptor(opening: path, O_RDWR | O_CREAT, mode: 0o600)
    } catch {
      throw StateError("\(path): \(error)", isDiskFull: error.code == ENOSPC)
    }
    wait.begin(Self.longestWait)
    do throws(SQLiteError) {
      database = try Database(path: resolvedPath(path), .writing, wait: wait)
      database.keepsLog = false
      try StateSchema.prepare(database)
    } catch {
      throw StateError(path, error)
    }
  }

  private static func lock(_ path: String) throws(StateError) -> Descriptor {
    do throws(SystemError) {
      let file = try Descriptor(opening: path, O_RDWR | O_CREAT, mode: 0o600)
      if try FileLock.tryLock(file.number) { return file }
    } catch {
      throw StateError("\(path): \(error)", isDiskFull: error.code == ENOSPC)
    }
    throw StateError("\(path): another sonde serve is at work there")
  }

  /// All users who own data.
  func owners() throws(StateError) -> [String] {
    try perform { database throws(SQLiteError) in
      let query = try database.statement(
        "SELECT user FROM scans UNION SELECT user FROM lookups UNION SELECT user FROM watched"
      )
      defer { query.reset() }
      var owners: [String] = []
      while try query.step() { owners.append(query.text(0)) }
      return owners
    }
  }

  /// Runs statements with the same parameter in one transaction.
  func run(_ statements: [String], _ bind: (Statement) -> Void) throws(StateError) {
    try perform { database throws(SQLiteError) in
      for sql in statements {
        let statement = try database.statement(made: sql)
        bind(statement)
        try statement.run()
      }
    }
  }

  /// Runs a block in one transaction.
  func perform<R>(
    _ body: (Database) throws(SQLiteError) -> R
  ) throws(StateError) -> R {
    wait.begin(Self.longestWait)
    do throws(SQLiteError) {
      try database.execute("BEGIN IMMEDIATE")
      let result = try body(database)
      try database.execute("COMMIT")
      return result
    } catch {
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      throw StateError(folder + "/serve.db", error)
    }
  }
}

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
      try database.rows(
        "SELECT user FROM scans UNION SELECT user FROM lookups UNION SELECT user FROM watched"
      ) { $0.text(0) }
    }
  }

  /// Runs statements with the same parameters in one transaction.
  func run(_ statements: StaticString..., with values: [BoundValue]) throws(StateError) {
    try perform { database throws(SQLiteError) in
      for sql in statements { try database.run(sql, values) }
    }
  }

  /// A page of an owner's items, the highest numbers first, and where the next page begins, if any.
  ///
  /// The parameters of the query are the owner, the number before which the page begins, and the
  /// maximum number of rows; its first column is the item's number.
  func page<Item>(
    _ sql: StaticString,
    of owner: String?,
    before number: Int64?,
    limit: Int,
    read: (Statement) -> Item
  ) throws(StateError) -> (items: [Item], next: Int64?) {
    let values: [BoundValue] = [.text(owner), .number(number ?? .max), .number(Int64(limit) + 1)]
    let rows = try perform { database throws(SQLiteError) in
      try database.rows(sql, values) { (item: read($0), number: $0.number(0)) }
    }
    let page = rows.prefix(limit)
    return (page.map(\.item), rows.count > limit ? page.last?.number : nil)
  }

  /// Runs a block in one transaction.
  func perform<R>(_ body: (Database) throws(SQLiteError) -> R) throws(StateError) -> R {
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

/// Why the state of the dashboard cannot be opened, read or written.
public struct StateError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, for people.
  public let description: String

  /// Whether the disk is full.
  public let isDiskFull: Bool

  init(_ description: String, isDiskFull: Bool = false) {
    (self.description, self.isDiskFull) = (description, isDiskFull)
  }

  init(_ path: String, _ error: SQLiteError) {
    self.init("\(path): \(error.message)", isDiskFull: error.kind == .full)
  }
}

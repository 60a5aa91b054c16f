import Glibc
import SondeSQLite
import Synchronization
import SondeSystem

/// Who may ask: users, their passwords, sessions and tokens, and the links that let people in.
///
/// All of it lies in one SQLite file, which belongs to this process while it is open. What a method has
/// changed is there after a `kill -9` or a power failure. No secret is kept: passwords as Argon2id,
/// everything else, which is random, as a plain hash.
public actor AccountStore {
  /// How long a one-time link can be used.
  public static let linkLifetime = Duration.seconds(600)
  /// How long an invitation can be used.
  public static let invitationLifetime = Duration.seconds(7 * 86_400)
  /// How long a password can be set by a reset link.
  public static let resetLifetime = Duration.seconds(86_400)
  /// How long a session lasts.
  public static let sessionLifetime = Duration.seconds(30 * 86_400)
  /// The most sessions of a user; beyond, the oldest ends.
  public static let mostSessions = 1000
  /// The most tokens of a user.
  public static let mostTokens = 1000

  /// How long a call waits for a program that reads the database.
  private static let longestWait = Duration.seconds(5)

  private let executor = BlockingExecutor(label: "sonde.accounts")
  private let path: String
  // Released in this order: the lock last.
  private let database: Database
  private let lock: Descriptor?
  private let wait = LockWait()

  /// Who is let in.
  public nonisolated let membership: Membership
  nonisolated let tokenPrefix: String
  nonisolated let clock: AccountClock
  nonisolated let onEnd: @Sendable (AccessEnd) -> Void

  nonisolated let cost: PasswordHash.Cost
  /// Compared with where there is no account, so that it takes as long as where there is one.
  nonisolated let nothing: PasswordHash
  nonisolated let hashing = HashingQueue()
  nonisolated let throttle = Mutex(LogInThrottle())
  nonisolated let registrations = Mutex(RegistrationLimit())
  nonisolated let known = Mutex(KnownAccess())

  /// Runs on a separate thread, since SQLite waits for disks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens the accounts, which are made where there are none.
  ///
  /// - Parameters:
  ///   - path: The database; the folders it lies in are made if missing, all for the owner alone.
  ///     `nil` keeps everything in memory, until the store is released.
  ///   - membership: Who is let in. What was opened without accounts is of no use with them, nor the
  ///     other way round.
  ///   - tokenPrefix: What every token begins with, by which it is recognised where it has leaked.
  ///   - clock: Tells the time.
  ///   - onEnd: Told what has ended, once that is committed and before the method that ended it
  ///     returns; called on a thread that must not be held up. Whoever opens a stream asks once more
  ///     for its session after it can be closed by this.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``, also where another program has it open.
  public init(
    path: String?,
    membership: Membership,
    tokenPrefix: String = "",
    clock: AccountClock = .system,
    onEnd: @escaping @Sendable (AccessEnd) -> Void = { _ in }
  ) throws(AccountError) {
    try self.init(path, membership, tokenPrefix, clock, .interactive, onEnd)
  }

  init(
    _ path: String?,
    _ membership: Membership,
    _ tokenPrefix: String,
    _ clock: AccountClock,
    _ cost: PasswordHash.Cost,
    _ onEnd: @escaping @Sendable (AccessEnd) -> Void
  ) throws(AccountError) {
    (self.membership, self.tokenPrefix) = (membership, tokenPrefix)
    (self.clock, self.cost, self.onEnd) = (clock, cost, onEnd)
    nothing = .ofNothing(cost)
    wait.begin(.seconds(2))
    guard let given = path else {
      (self.path, lock) = ("accounts in memory", nil)
      database = try AccountFile.openInMemory(wait)
      return
    }
    try AccountFile.makeFolders(of: given)
    // By whatever name it is opened, it has one lock.
    let path = resolvedPath(given)
    self.path = path
    lock = try AccountFile.lock(path, wait)
    wait.begin(Self.longestWait)
    database = try AccountFile.open(path, wait)
  }

  /// This moment.
  nonisolated var now: Duration { clock.wall().toMilliseconds }

  /// What is kept.
  struct Tables {
    let users: UserTable
    let access: AccessTable
    let links: LinkTable
  }

  private var tables: Tables {
    Tables(
      users: UserTable(database: database),
      access: AccessTable(database: database, hasAccounts: membership.hasAccounts),
      links: LinkTable(database: database)
    )
  }

  /// Reads by one statement.
  func read<R>(_ body: (Tables) throws(SQLiteError) -> R) throws(AccountError) -> R {
    wait.begin(Self.longestWait)
    do throws(SQLiteError) { return try body(tables) } catch { throw AccountError(path, error) }
  }

  /// Reads and changes everything, or nothing where the body throws.
  func transaction<R>(_ body: (Tables) throws -> R) throws(AccountError) -> R {
    wait.begin(Self.longestWait)
    do {
      try database.execute("BEGIN IMMEDIATE")
      let result = try body(tables)
      try database.execute("COMMIT")
      return result
    } catch {
      // Some errors have ended it already (https://www.sqlite.org/lang_transaction.html).
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      switch error {
      case let error as AccountError: throw error
      case let error as SQLiteError: throw AccountError(path, error)
      default: throw .storage(reason: "\(path): \(error)", isDiskFull: false)
      }
    }
  }

  /// The same, where something may end: then everybody is told.
  func change<R>(_ body: (Tables, inout AccessEnd) throws -> R) throws(AccountError) -> R {
    var end = AccessEnd()
    let ended = known.withLock { $0.ended }
    let result = try transaction { tables in
      end.sessions += try tables.access.endSessions(until: now)
      for key in ended { end.sessions += try tables.access.endSession(of: key) }
      try tables.links.remove(until: now)
      return try body(tables, &end)
    }
    known.withLock { known in
      known.ended.subtract(ended)
      // On this thread, where everything that is known was looked up.
      if !end.isEmpty { known.forget() }
    }
    if !end.isEmpty { onEnd(end) }
    return result
  }
}

/// Sessions and tokens that were looked up, so that the next look needs neither thread nor database.
struct KnownAccess {
  private static let most = 10_000

  private(set) var sessions: [Fingerprint: Session] = [:]
  private(set) var tokens: [Fingerprint: Token] = [:]

  /// Sessions that have ended, and are still to be removed from the database.
  var ended: Set<Fingerprint> = []

  mutating func forget() { (sessions, tokens) = ([:], [:]) }

  mutating func add(_ session: Session, _ secret: Fingerprint) {
    if sessions.count >= Self.most { sessions = [:] }
    sessions[secret] = session
  }

  mutating func add(_ token: Token, _ secret: Fingerprint) {
    if tokens.count >= Self.most { tokens = [:] }
    tokens[secret] = token
  }
}

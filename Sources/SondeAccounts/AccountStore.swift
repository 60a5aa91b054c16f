import Glibc
import SondeSQLite
import SondeSystem
import Synchronization

/// Users with their passwords, sessions, tokens and one-time links.
///
/// All data is in one SQLite file, which is locked for this process while it is open. Changes are
/// durable when a method returns, even after `kill -9` or a power failure. No secret is stored:
/// passwords are hashed with Argon2id, and random secrets with a plain hash.
public actor AccountStore {
  /// The validity of a one-time link.
  public static let linkLifetime = Duration.seconds(600)
  /// The validity of an invitation.
  public static let invitationLifetime = Duration.seconds(7 * 86_400)
  /// The validity of a reset link.
  public static let resetLifetime = Duration.seconds(86_400)
  /// The validity of a session.
  public static let sessionLifetime = Duration.seconds(30 * 86_400)
  /// The largest number of sessions per user; one more ends the oldest.
  public static let mostSessions = 1000
  /// The largest number of tokens per user.
  public static let mostTokens = 1000

  /// How long a call waits for another program that reads the database.
  private static let longestWait = Duration.seconds(5)

  private let executor = BlockingExecutor(label: "sonde.accounts")
  private let path: String
  // Released in this order: the lock last.
  private let database: Database
  private let lock: Descriptor?
  private let wait = LockWait()

  /// Who may register.
  public nonisolated let membership: Membership
  nonisolated let tokenPrefix: String
  nonisolated let clock: AccountClock
  nonisolated let onEnd: @Sendable (AccessEnd) -> Void

  nonisolated let cost: PasswordHash.Cost
  /// The hash compared if there is no account, so that it takes equally long.
  nonisolated let nothing: PasswordHash
  nonisolated let hashing = HashingQueue()
  nonisolated let throttle = Mutex(LogInThrottle())
  nonisolated let registrations = Mutex(RegistrationLimit())
  nonisolated let known = Mutex(KnownAccess())

  /// The executor of a separate thread, since SQLite waits for disks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens the accounts, or creates them.
  ///
  /// - Parameters:
  ///   - path: The database, which is created with its directories if missing, accessible to the
  ///     owner only; `nil` keeps everything in memory until the store is released.
  ///   - membership: Who may register. Sessions opened without accounts are invalid with them, and
  ///     vice versa.
  ///   - tokenPrefix: The beginning of every token, by which leaked ones can be recognised.
  ///   - clock: The source of the time.
  ///   - onEnd: Called with everything that has ended, after the commit and before the method
  ///     returns, on a thread that must not be blocked. After opening a stream that this can close,
  ///     look up its session once more.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``, also if another program has it open.
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
    // One lock for all names of the file.
    let path = resolvedPath(given)
    self.path = path
    lock = try AccountFile.lock(path, wait)
    wait.begin(Self.longestWait)
    database = try AccountFile.open(path, wait)
  }

  nonisolated var now: Duration { clock.wall().toMilliseconds }

  /// The tables of the database.
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

  /// Reads with a single statement.
  func read<R>(_ body: (Tables) throws(SQLiteError) -> R) throws(AccountError) -> R {
    wait.begin(Self.longestWait)
    do throws(SQLiteError) { return try body(tables) } catch { throw AccountError(path, error) }
  }

  /// Runs a transaction, which is rolled back if the body throws.
  func transaction<R>(_ body: (Tables) throws -> R) throws(AccountError) -> R {
    wait.begin(Self.longestWait)
    do {
      try database.execute("BEGIN IMMEDIATE")
      let result = try body(tables)
      try database.execute("COMMIT")
      return result
    } catch {
      // Some errors have already ended it (https://www.sqlite.org/lang_transaction.html).
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      switch error {
      case let error as AccountError: throw error
      case let error as SQLiteError: throw AccountError(path, error)
      default: throw .storage(reason: "\(path): \(error)", isDiskFull: false)
      }
    }
  }

  /// Runs a transaction that may end sessions or tokens, and reports those.
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
      // On this thread, which also fills the cache.
      if !end.isEmpty { known.forget() }
    }
    if !end.isEmpty { onEnd(end) }
    return result
  }
}

/// A cache of sessions and tokens, which saves a switch of threads and a query.
struct KnownAccess {
  private static let most = 10_000

  private(set) var sessions: [Fingerprint: Session] = [:]
  private(set) var tokens: [Fingerprint: Token] = [:]

  /// Sessions that have ended but are still to be removed from the database.
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

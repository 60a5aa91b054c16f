public import SondeAddresses
import SondeSQLite
import SondeSystem

/// The cache of answers: one SQLite file shared by any number of processes.
///
/// No method fails: unreadable data counts as missing, and data that cannot be written is reported
/// once to `warn` and dropped.
public actor Store: AnswerStore {
  private let executor = BlockingExecutor(label: "sonde.store")
  let keeper: DatabaseKeeper
  let limits: StoreLimits

  /// Data to be saved.
  enum Content {
    case answers(EncodedAnswers, AnswerScope)
    case texts([KeptText], String)
  }

  /// Data whose commit is awaited.
  struct Save {
    let content: Content
    let end: CheckedContinuation<Void, Never>
  }

  var pending: [Save] = []
  var isCommitScheduled = false
  var lastCommit = ContinuousClock.now
  var commits = 0
  /// Whether old answers have been removed since the file was opened.
  var isTrimmed = false
  /// Writes the log back after a while without commits.
  var idleTask: Task<Void, Never>?
  /// Stops waiting for other processes that hold the file.
  nonisolated let hurry: @Sendable () -> Void

  /// The executor of a separate thread, since SQLite waits for disks and other processes.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names the file, which is opened or created on first use.
  ///
  /// - Parameters:
  ///   - path: The database, whose directories are created if missing.
  ///   - mayReplace: Whether only Sonde stores files at this path, so that any file that is not a
  ///     database is moved aside; otherwise only a former cache is.
  ///   - warn: Receives each kind of problem once, on the store's thread.
  public init(path: String, mayReplace: Bool = false, warn: @escaping @Sendable (String) -> Void) {
    self.init(path: path, mayReplace: mayReplace, limits: StoreLimits(), warn: warn)
  }

  init(
    path: String,
    mayReplace: Bool = false,
    limits: StoreLimits,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.limits = limits
    keeper = DatabaseKeeper(path: path, schema: .answers, mayReplace: mayReplace, warn: warn)
    hurry = keeper.hurry
  }

  deinit { idleTask?.cancel() }

  /// The files of a store at a path.
  public static func files(of path: String) -> [String] { StoreFile.names(at: resolvedPath(path)) }
}

// MARK: - Answers

extension Store {
  /// Looks up addresses; see ``AnswerStore/lookUp(_:in:youngerThan:)``.
  public nonisolated func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) async -> KnownAnswers {
    let (stored, view) = await find(addresses, in: scope, youngerThan: age)
    // Decoded by the caller, since all look-ups share the store's thread.
    let (block, items) = stored.decoded()
    var found = KnownAnswers()
    found.block = block
    found.positions = items.map(\.position)
    found.view = view
    return found
  }

  /// Whether another process has changed the store since a view was taken; `false` if unreadable.
  public func hasChanged(since view: StoreView) -> Bool {
    let current = keeper.perform(for: .reading) { connection throws(SQLiteError) in
      try connection.view()
    }
    return current.map { $0 != view } ?? false
  }

  private func find(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) -> (StoredAnswers, StoreView?) {
    let found = keeper.perform(for: .reading) {
      connection throws(SQLiteError) -> (StoredAnswers, StoreView?) in
      var found = StoredAnswers()
      // Taken first, so that later writes are detected the next time.
      let current = try connection.view()
      try connection.read { () throws(SQLiteError) in
        let database = connection.database
        let numbers = try ScopeTable(database: database).numbers(including: scope)
        try AnswerTable(database: database)
          .find(addresses, inScopes: numbers, now: .now, youngerThan: age, &found)
      }
      return (found, current)
    }
    return found ?? (StoredAnswers(), nil)
  }
}

// MARK: - Closing

extension Store {
  /// Closes the store within a second, even if others hold the file; it is opened again if it is
  /// used afterwards.
  public nonisolated func close() async {
    hurry()
    await end()
  }

  private func end() {
    commitPending()
    idleTask?.cancel()
    idleTask = nil
    keeper.close()
  }
}

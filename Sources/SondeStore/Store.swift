public import SondeAddresses
import SondeSQLite
import SondeSystem

/// The cache of answers: one SQLite file that any number of processes share.
///
/// Nothing here fails: what cannot be read counts as absent, and what cannot be written is told once
/// to `warn` and given up.
public actor Store: AnswerStore {
  private let executor = BlockingExecutor(label: "sonde.store")
  let keeper: DatabaseKeeper
  let limits: Limits

  /// What is to be saved.
  enum Content {
    case answers(EncodedAnswers, AnswerScope)
    case texts([KeptText], String)
  }

  /// What somebody waits to see committed.
  struct Save {
    let content: Content
    let end: CheckedContinuation<Void, Never>
  }

  /// What the next transaction is to save.
  var pending: [Save] = []
  var isCommitScheduled = false
  var lastCommit = ContinuousClock.now
  /// The transactions so far.
  var commits = 0
  /// Whether answers that are too old have been removed since the file was opened.
  var isTrimmed = false
  /// Writes the log back once nobody has committed for a while.
  var idleTask: Task<Void, Never>?
  /// Stops waiting for others who hold the file.
  nonisolated let hurry: @Sendable () -> Void

  /// Runs on a separate thread, since SQLite waits for disks and other processes.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names the file; it is opened, and made if need be, at the first use.
  ///
  /// - Parameters:
  ///   - path: The database. The folders it lies in are made if missing.
  ///   - mayReplace: Whether nobody else keeps anything at this path, so that whatever is no
  ///     database is moved aside; elsewhere only what was a cache is.
  ///   - warn: Told once for each thing that is wrong with the file; called on the store's thread.
  public init(
    path: String,
    mayReplace: Bool = false,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.init(path: path, mayReplace: mayReplace, limits: Limits(), warn: warn)
  }

  init(
    path: String,
    mayReplace: Bool = false,
    limits: Limits,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.limits = limits
    keeper = DatabaseKeeper(path: path, schema: .answers, mayReplace: mayReplace, warn: warn)
    hurry = keeper.hurry
  }

  deinit { idleTask?.cancel() }

  /// The files that a store at a path consists of.
  public static func files(of path: String) -> [String] {
    DatabaseFile.names(at: resolvedPath(path))
  }
}

// MARK: - Answers

extension Store {
  /// Looks addresses up.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, of which any may come twice.
  ///   - scope: What would be asked.
  ///   - age: The age at which an answer is too old; `nil` for never.
  /// - Returns: The answers found; of several that hold at least what would be asked, the youngest.
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

  /// Whether another process has changed the store since it held this.
  ///
  /// - Returns: `false` also where it cannot be read.
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
      // Taken before the look: what others write meanwhile is seen the next time.
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
  /// Ends the use of the store, within a second also where others hold the file; it opens again if
  /// it is used after all.
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

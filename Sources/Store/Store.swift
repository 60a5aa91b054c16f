public import Addresses
public import Records
import SQLite
import System

/// The cache of answers: one SQLite file that any number of processes share.
///
/// Nothing here fails: what cannot be read counts as absent, and what cannot be written is told once
/// to `warn` and given up.
public actor Store {
  private let executor = BlockingExecutor(label: "sonde.store")
  let keeper: DatabaseKeeper
  let limits: Limits

  /// What somebody waits to see committed.
  struct Save {
    let answers: EncodedAnswers
    let scope: AnswerScope
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
  ///   - view: What the store held when it had no answer to any of them; it is not looked into
  ///     again as long as no other process has changed it.
  /// - Returns: The answers found; of several that hold at least what would be asked, the youngest.
  public nonisolated func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?,
    newerThan view: StoreView? = nil
  ) async -> KnownAnswers {
    let (stored, view) = await find(addresses, in: scope, youngerThan: age, newerThan: view)
    // Decoded by the caller, since all look-ups share the store's thread.
    let (block, items) = stored.decoded()
    var found = KnownAnswers()
    found.block = block
    found.positions = items.map(\.position)
    found.view = view
    return found
  }

  /// Saves the `ok` and `unknown` records of a block; others are left out.
  ///
  /// Returns when they are committed, or cannot be. Those who save at the same moment share a
  /// transaction.
  /// - Parameters:
  ///   - answers: The records.
  ///   - scope: What was asked.
  public nonisolated func save(_ answers: RecordBlock, in scope: AnswerScope) async {
    let encoded = EncodedAnswers(answers, now: Moment.now.seconds)
    if !encoded.items.isEmpty { await save(encoded, in: scope) }
  }

  private func find(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?,
    newerThan view: StoreView?
  ) -> (StoredAnswers, StoreView?) {
    let found = keeper.perform(for: .reading) {
      connection throws(SQLiteError) -> (StoredAnswers, StoreView?) in
      var found = StoredAnswers()
      // Taken before the look: what others write meanwhile is seen the next time.
      let current = try connection.view()
      guard current != view else { return (found, current) }
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

  private func save(_ answers: EncodedAnswers, in scope: AnswerScope) async {
    await withCheckedContinuation { continuation in
      pending.append(Save(answers: answers, scope: scope, end: continuation))
      guard !isCommitScheduled else { return }
      isCommitScheduled = true
      // It runs after those that wait for the thread already, and so commits theirs as well.
      Task { commitPending() }
    }
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

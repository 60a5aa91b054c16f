public import Addresses
public import Records
import System

/// The cache of answers: one SQLite file that any number of processes share.
///
/// Nothing here fails: what cannot be read counts as absent, and what cannot be written is told once
/// to `warn` and given up.
public actor Store {
  private let executor = BlockingExecutor(label: "sonde.store")
  private let keeper: DatabaseKeeper
  private let limits: Limits

  private struct Save {
    let answers: EncodedAnswers
    let scope: AnswerScope
    let end: CheckedContinuation<Void, Never>
  }

  /// What the next transaction is to save.
  private var pending: [Save] = []
  private var isCommitScheduled = false
  private var lastCommit = ContinuousClock.now
  /// The transactions so far.
  private(set) var commits = 0
  /// Whether what is too old was looked for.
  private var isTrimmed = false
  private var idleTask: Task<Void, Never>?
  private nonisolated let hurry: @Sendable () -> Void

  /// Runs on a thread of its own, since SQLite waits for disks and other processes.
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
  /// - Returns: The answers that there are; of those that hold at least what would be asked, the
  ///   youngest.
  public nonisolated func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?,
    newerThan view: StoreView? = nil
  ) async -> KnownAnswers {
    let (stored, view) = await find(addresses, in: scope, youngerThan: age, newerThan: view)
    // Decoding is left to the one who asks, since all look-ups share the store's thread.
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
      connection throws(StoreError) -> (StoredAnswers, StoreView?) in
      var found = StoredAnswers()
      // Before it is looked into: what comes meanwhile is seen the next time.
      let current = try connection.view()
      guard current != view else { return (found, current) }
      try connection.read { () throws(StoreError) in
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
      // Behind those that wait for the thread already: they take part.
      Task { commitPending() }
    }
  }
}

// MARK: - Listing and cleaning

extension Store {
  /// Lists answers of whatever age, in the order in which they came.
  ///
  /// - Parameters:
  ///   - cursor: Where to begin; `nil` at the beginning.
  ///   - limit: How many at most; there may be fewer although there are more to come.
  /// - Returns: The answers, and where the next page begins; `nil` when the cache cannot be read, or
  ///   another one has come into its place since.
  public func page(after cursor: CacheCursor?, limit: Int) async -> CachePage? {
    let page = keeper.perform(for: .reading) { connection throws(StoreError) -> CachePage? in
      let file = connection.identity
      if let cursor, cursor.file != file { return nil }
      return try connection.read { () throws(StoreError) in
        var found = StoredAnswers()
        let last = try AnswerTable(database: connection.database)
          .list(after: cursor?.row ?? .min, limit: max(1, limit), &found)
        let scopes = try ScopeTable(database: connection.database).all()
        return CachePage(found, scopes, next: last.map { CacheCursor(file: file, row: $0) })
      }
    }
    return page ?? nil
  }

  /// Lists what is known of some addresses, of whatever age and in every scope; `nil` when the cache
  /// cannot be read.
  public func entries(of addresses: [Address]) async -> CachePage? {
    keeper.perform(for: .reading) { connection throws(StoreError) in
      try connection.read { () throws(StoreError) in
        let scopes = try ScopeTable(database: connection.database).all()
        let table = AnswerTable(database: connection.database)
        var found = StoredAnswers()
        for (number, _) in scopes.reversed() {
          try table.find(addresses, inScopes: [number], now: .now, youngerThan: nil, &found)
        }
        return CachePage(found, scopes, next: nil)
      }
    }
  }

  /// Counts what there is; `nil` when the cache cannot be read.
  public func statistics() async -> CacheStatistics? {
    keeper.perform(for: .reading) { connection throws(StoreError) in
      try connection.read { () throws(StoreError) in
        var statistics = try AnswerTable(database: connection.database).statistics()
        statistics.bytes = connection.file.size
        return statistics
      }
    }
  }

  /// Removes all answers of some addresses, in every scope.
  ///
  /// - Returns: How many of the addresses had one; `nil` when the cache cannot be changed.
  public func delete(_ addresses: [Address]) async -> Int? {
    keeper.perform(for: .writing) { connection throws(StoreError) in
      let database = connection.database
      let count = try connection.write { () throws(StoreError) in
        let table = AnswerTable(database: database)
        var count = 0
        for address in addresses { count += try table.delete(address) ? 1 : 0 }
        return count
      }
      // The log may still hold what was removed.
      _ = try? database.checkpoint(truncating: true)
      return count
    }
  }

  /// Removes all answers and gives their room back.
  ///
  /// - Returns: Whether that could be done.
  @discardableResult
  public func clear() async -> Bool {
    let isClear: Void? = keeper.perform(for: .writing) { connection throws(StoreError) in
      let database = connection.database
      try connection.write { () throws(StoreError) in
        try AnswerTable(database: database).clear()
      }
      try database.execute("VACUUM")
      try database.checkpoint(truncating: true)
    }
    return isClear != nil
  }

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

// MARK: - Committing

extension Store {
  private func commitPending() {
    isCommitScheduled = false
    guard !pending.isEmpty else { return }
    let saves = pending
    pending = []
    keeper.perform(for: .writing) { connection throws(StoreError) in
      try connection.write { () throws(StoreError) in
        let scopes = ScopeTable(database: connection.database)
        let table = AnswerTable(database: connection.database)
        for save in saves {
          let number = try scopes.makeNumber(of: save.scope)
          try table.insert(save.answers, inScope: number, now: .now)
        }
      }
    }
    for save in saves { save.end.resume() }
    lastCommit = .now
    commits += 1
    trim()
    limitLog()
  }

  /// Removes what is too much; nobody waits for it.
  private func trim() {
    guard keeper.connection?.isWritable == true else { return }
    let limits = limits
    let isNeeded = keeper.perform(for: .reading) { connection throws(StoreError) in
      let table = AnswerTable(database: connection.database)
      return try isTrimmed ? table.isTooLarge(limits) : table.needsTrimming(now: .now, limits)
    }
    isTrimmed = isNeeded != true
    guard isNeeded == true else { return }
    keeper.perform(for: .writing) { connection throws(StoreError) in
      try connection.write { () throws(StoreError) in
        try AnswerTable(database: connection.database).trim(now: .now, limits)
      }
    }
  }

  private func limitLog() {
    guard let database = keeper.connection?.database else { return }
    let frames = database.framesInLog
    if frames >= limits.mostFrames { writeBack() }
    if frames >= limits.idleFrames, idleTask == nil {
      idleTask = Task { [weak self] in await self?.writeBackWhenIdle() }
    }
  }

  private func writeBackWhenIdle() async {
    let pause = Duration.milliseconds(300)
    while !Task.isCancelled {
      try? await Task.sleep(for: pause)
      if .now - lastCommit >= pause { break }
    }
    // Cancelled, it is nobody's task any more.
    guard !Task.isCancelled else { return }
    idleTask = nil
    writeBack()
  }

  /// Writes the log back into the database.
  func writeBack() {
    keeper.perform(for: .writingBack) { connection throws(StoreError) in
      _ = try connection.database.checkpoint()
    }
  }
}

extension CachePage {
  init(
    _ answers: consuming StoredAnswers,
    _ scopes: [(number: Int64, scope: AnswerScope)],
    next: CacheCursor?
  ) {
    let names = Dictionary(scopes.map { ($0.number, $0.scope) }) { first, _ in first }
    answers.removeAll { names[$0.scope] == nil }
    let (block, items) = answers.decoded()
    self.block = block
    self.scopes = items.compactMap { names[$0.scope] }
    self.next = next
  }
}

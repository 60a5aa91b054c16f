public import Addresses
public import Records
import Synchronization
import System

/// The cache of answers and the ledger, in one SQLite file that any number of processes share.
///
/// Nothing here fails: what cannot be read counts as absent, and what cannot be written is told once
/// to `warn` and given up.
public actor Store {
  private let executor = BlockingExecutor(label: "sonde.store")
  private let keeper: SessionKeeper
  private let limits: Limits

  /// The random identity of this process in the ledger.
  public nonisolated let holder: UInt64

  private struct Work {
    let run: (Session) throws(StoreError) -> Void
    let end: CheckedContinuation<Bool, Never>
  }

  /// What the next transaction is to do.
  private var pending: [Work] = []
  private var isCommitScheduled = false
  private var lastCommit = ContinuousClock.now
  /// The transactions so far that changed something.
  private(set) var commits = 0
  private var idleTask: Task<Void, Never>?

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
    holder = UInt64.random(in: 1..<1 << 62)
    keeper = SessionKeeper(
      path: path,
      mayReplace: mayReplace,
      limits: limits,
      holder: holder,
      warn: warn
    )
  }

  deinit { idleTask?.cancel() }

  /// The files that a store at a path consists of.
  public static func files(of path: String) -> [String] { CacheFile.names(at: resolvedPath(path)) }
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
  /// - Returns: The answers that there are.
  public nonisolated func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?,
    newerThan view: StoreView? = nil
  ) async -> CachedAnswers {
    let (raw, view) = await find(addresses, in: scope, youngerThan: age, newerThan: view)
    // Decoding is left to the one who asks, since all look-ups share the store's thread.
    let (block, items) = raw.decoded()
    var found = CachedAnswers()
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
    var encoder = AnswerEncoder()
    let chunks = encoder.chunks(of: answers, now: Moment.now.seconds)
    if !chunks.isEmpty { await save(chunks, in: scope) }
  }

  private func find(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?,
    newerThan view: StoreView?
  ) -> (RawAnswers, StoreView?) {
    let found = keeper.perform { session throws(StoreError) -> (RawAnswers, StoreView?) in
      // Before it is looked into: what comes meanwhile is seen the next time.
      let current = try session.view()
      guard current != view else { return (RawAnswers(), current) }
      let answers = try session.read { () throws(StoreError) -> RawAnswers in
        guard let number = try session.number(of: scope) else { return RawAnswers() }
        return try session.lookUp(addresses, inScope: number, now: .now, youngerThan: age)
      }
      return (answers, current)
    }
    return found ?? (RawAnswers(), nil)
  }

  private func save(_ chunks: [Chunk], in scope: AnswerScope) async {
    await commit { session throws(StoreError) in
      try session.append(chunks, in: scope, now: .now)
    }
  }
}

// MARK: - Ledger

extension Store {
  /// Changes a row of the ledger; no other process changes it at the same time.
  ///
  /// - Parameters:
  ///   - key: The row.
  ///   - body: Makes the change. It may be called again when a transaction has to be repeated, so it
  ///     must do nothing but change the row. Without bytes the row is removed.
  /// - Returns: What the body returned, once the change is committed; `nil` when there is no store
  ///   to be used, so that the caller must do without.
  public func update<R: Sendable>(
    _ key: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> R? {
    let result = Outcome<R>()
    let isCommitted = await commit { session throws(StoreError) in
      guard let liveness = self.keeper.liveness() else { return }
      let bytes = try session.ledgerRow(key)
      var row = LedgerRow(bytes: bytes, liveness: liveness)
      result.value = body(&row)
      if row.bytes != bytes { try session.writeLedgerRow(key, row.bytes) }
    }
    return isCommitted ? result.value : nil
  }
}

// MARK: - Listing and cleaning

extension Store {
  /// Lists answers of whatever age, in the order in which they came.
  ///
  /// - Parameters:
  ///   - cursor: Where to go on; `nil` at the beginning.
  ///   - limit: How many at most; there may be fewer although there are more to come.
  /// - Returns: The answers, and where to go on; `nil` when the cache cannot be read, or another
  ///   one has come into its place since.
  public func page(after cursor: CacheCursor?, limit: Int) async -> CachePage? {
    let page = keeper.perform { session throws(StoreError) -> CachePage? in
      let start = cursor ?? CacheCursor(file: session.identity, chunk: 0, position: 0)
      guard start.file == session.identity else { return nil }
      return try session.read { () throws(StoreError) in
        let (answers, next) = try session.list(from: start, limit: max(1, limit))
        return try CachePage(answers, session.allScopes(), next: next)
      }
    }
    return page ?? nil
  }

  /// Lists what is known of some addresses, of whatever age and in every scope; `nil` when the cache
  /// cannot be read.
  public func entries(of addresses: [Address]) async -> CachePage? {
    keeper.perform { session throws(StoreError) in
      try session.read { () throws(StoreError) in
        let scopes = try session.allScopes()
        var all = RawAnswers()
        for (number, _) in scopes.reversed() {
          all += try session.lookUp(addresses, inScope: number, now: .now, youngerThan: nil)
        }
        return CachePage(all, scopes, next: nil)
      }
    }
  }

  /// Counts what there is; `nil` when the cache cannot be read.
  public func statistics() async -> CacheStatistics? {
    keeper.perform { session throws(StoreError) in
      try session.read { () throws(StoreError) in try session.statistics() }
    }
  }

  /// Removes all answers of some addresses, in every scope.
  ///
  /// - Returns: How many of the addresses had one; `nil` when the cache cannot be changed.
  public func delete(_ addresses: [Address]) async -> Int? {
    keeper.perform { session throws(StoreError) in
      try session.database.execute("PRAGMA secure_delete = ON")
      defer { try? session.database.execute("PRAGMA secure_delete = OFF") }
      let count = try session.write { () throws(StoreError) in try session.delete(addresses) }
      // The log may still hold what was removed.
      _ = try? session.database.checkpoint(truncating: true)
      return count
    }
  }

  /// Removes all answers and gives their room back; the ledger stays.
  ///
  /// - Returns: Whether that could be done.
  @discardableResult
  public func clear() async -> Bool {
    let isClear: Void? = keeper.perform { session throws(StoreError) in
      try session.write { () throws(StoreError) in try session.clear() }
      try session.database.execute("VACUUM")
      try session.database.checkpoint(truncating: true)
    }
    return isClear != nil
  }

  /// Ends the use of the store; it opens again if it is used after all.
  public func close() async {
    commitPending()
    idleTask?.cancel()
    keeper.close { session throws(StoreError) in
      if session.tailCount >= limits.tail / 4 { try session.maintain() }
      if session.database.framesInLog >= limits.idleFrames / 4 {
        try session.database.checkpoint()
      }
    }
  }
}

// MARK: - Committing

extension Store {
  /// Has something done in the next transaction.
  ///
  /// - Returns: Whether it was committed.
  @discardableResult
  private func commit(_ run: @escaping (Session) throws(StoreError) -> Void) async -> Bool {
    await withCheckedContinuation { continuation in
      pending.append(Work(run: run, end: continuation))
      guard !isCommitScheduled else { return }
      isCommitScheduled = true
      // Behind those that wait for the thread already: they take part.
      Task { commitPending() }
    }
  }

  private func commitPending() {
    isCommitScheduled = false
    guard !pending.isEmpty else { return }
    let works = pending
    pending = []
    let isCommitted: Void? = keeper.perform { session throws(StoreError) in
      try session.write { () throws(StoreError) in
        for work in works { try work.run(session) }
      }
    }
    for work in works { work.end.resume(returning: isCommitted != nil) }
    lastCommit = .now
    commits += 1
    keepInOrder()
  }

  /// Does what nobody waits for.
  private func keepInOrder() {
    guard let session = keeper.session else { return }
    keeper.perform { session throws(StoreError) in
      if try session.needsMaintenance { try session.maintain() }
    }
    let frames = session.database.framesInLog
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
    idleTask = nil
    if !Task.isCancelled { writeBack() }
  }

  /// Writes the log back into the database.
  func writeBack() {
    keeper.perform { session throws(StoreError) in _ = try session.database.checkpoint() }
  }
}

/// What a change of the ledger came to.
private final class Outcome<R: Sendable>: Sendable {
  private let mutex = Mutex<R?>(nil)

  var value: R? {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }
}

extension CachePage {
  init(
    _ answers: consuming RawAnswers,
    _ scopes: [(number: Int64, scope: AnswerScope)],
    next: CacheCursor?
  ) {
    let names = Dictionary(scopes.map { ($0.number, $0.scope) }) { first, _ in first }
    answers.items.removeAll { names[$0.scope] == nil }
    let (block, items) = answers.decoded()
    self.block = block
    self.scopes = items.compactMap { names[$0.scope] }
    self.next = next
  }
}

extension RawAnswers {
  static func += (left: inout RawAnswers, right: RawAnswers) {
    let start = left.bytes.count
    left.bytes += right.bytes
    for var item in right.items {
      item.range = item.range.lowerBound + start..<item.range.upperBound + start
      left.items.append(item)
    }
  }
}

public import SondeAddresses
public import SondeRecords
import SondeSQLite
import SondeSystem

/// The answers of a run that keeps none: they serve the run from an unnamed temporary file, and
/// those of earlier runs are only read.
///
/// No method fails: if the disk is full or broken, `warn` is called once, and nothing is found.
public actor UnkeptAnswers: AnswerStore {
  private let executor = BlockingExecutor(label: "sonde.unkept")
  private let cache: (any AnswerStore)?
  private let warn: @Sendable (String) -> Void
  private var database: Database?
  private var hasFailed = false

  /// The executor of a separate thread, since it waits for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates an empty one, with a file in `TMPDIR` from first use; `cache` has earlier answers.
  public init(
    readingFrom cache: (any AnswerStore)?,
    warn: @escaping @Sendable (String) -> Void
  ) {
    (self.cache, self.warn) = (cache, warn)
  }

  /// Looks up addresses among the run's own answers and those of earlier runs.
  public func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) async -> KnownAnswers {
    let (block, items) = find(addresses, in: scope, youngerThan: age).decoded()
    let found = Set(items.map(\.position))
    let missing = addresses.indices.filter { !found.contains($0) }
    guard let cache, !missing.isEmpty else {
      var known = KnownAnswers()
      (known.block, known.positions) = (block, items.map(\.position))
      return known
    }
    var known = await cache.lookUp(missing.map { addresses[$0] }, in: scope, youngerThan: age)
    let earlier = known.positions.map { missing[$0] }
    known.positions = items.map(\.position)
    let view = known.view
    known.add(block, before: earlier)
    known.view = view
    return known
  }

  private func find(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) -> StoredAnswers {
    var found = StoredAnswers()
    guard database != nil else { return found }
    perform { database throws(SQLiteError) in
      let numbers = try ScopeTable(database: database).numbers(including: scope)
      try AnswerTable(database: database)
        .find(addresses, inScopes: numbers, now: .now, youngerThan: age, &found)
    }
    return found
  }

  /// Saves answers for this run only.
  public func save(_ answers: RecordBlock, in scope: AnswerScope) {
    let encoded = EncodedAnswers(answers, now: AnswerMoment.now.seconds)
    guard !encoded.items.isEmpty else { return }
    transact { database throws(SQLiteError) in
      let number = try ScopeTable(database: database).makeNumber(of: scope)
      try AnswerTable(database: database).insert(encoded, inScope: number, now: .now)
    }
  }

  /// Whether another process may have changed the earlier answers.
  public func hasChanged(since view: StoreView) async -> Bool {
    await cache?.hasChanged(since: view) ?? false
  }

  private func transact(_ work: (Database) throws(SQLiteError) -> Void) {
    perform { database throws(SQLiteError) in
      try database.execute("BEGIN")
      try work(database)
      try database.execute("COMMIT")
    }
  }

  private func perform(_ work: (Database) throws(SQLiteError) -> Void) {
    guard !hasFailed else { return }
    do throws(SQLiteError) {
      try work(opened())
    } catch {
      (hasFailed, database) = (true, nil)
      warn("answers are not reused in this run: the temporary file: \(error.message)")
    }
  }

  private func opened() throws(SQLiteError) -> Database {
    if let database { return database }
    let database = try Database.temporary(tables: Schema.answers.tables)
    try TextTable(database: database).make()
    self.database = database
    return database
  }
}

// MARK: - Earlier answers

extension UnkeptAnswers {
  /// Lists earlier answers.
  public func page(after cursor: CacheCursor?, limit: Int) async -> CachePage? {
    await cache?.page(after: cursor, limit: limit)
  }

  /// Lists earlier answers, the latest first.
  public func page(before row: Int?, limit: Int) async -> (answers: CachePage, next: Int?)? {
    await cache?.page(before: row, limit: limit)
  }

  /// Lists the earlier answers about some addresses.
  public func entries(of addresses: [Address]) async -> CachePage? {
    await cache?.entries(of: addresses)
  }

  /// Counts the earlier answers.
  public func statistics() async -> CacheStatistics? { await cache?.statistics() }

  /// Removes all answers about some addresses.
  public func delete(_ addresses: [Address]) async -> Int? { await cache?.delete(addresses) }

  /// Removes answers that were fetched longer ago.
  public func delete(olderThan age: Duration) async -> Int? { await cache?.delete(olderThan: age) }

  /// Removes all earlier answers.
  @discardableResult
  public func clear() async -> Bool { await cache?.clear() ?? true }

  /// Removes the run's answers, and closes the cache.
  public func close() async {
    database = nil
    await cache?.close()
  }
}

extension UnkeptAnswers: KeptTexts {
  /// Looks up texts of this run, then those of earlier ones.
  public func texts(
    of keys: [[UInt8]],
    in scope: String,
    youngerThan age: Duration?
  ) async -> [[UInt8]?] {
    var found = keys.map { _ in [UInt8]?.none }
    if database != nil {
      perform { database throws(SQLiteError) in
        found = try TextTable(database: database)
          .find(keys, inScope: scope, now: .now, youngerThan: age)
      }
    }
    let missing = found.indices.filter { found[$0] == nil }
    guard let cache = cache as? any KeptTexts, !missing.isEmpty else { return found }
    let earlier = await cache.texts(
      of: missing.map { keys[$0] },
      in: scope,
      youngerThan: age
    )
    for (index, text) in zip(missing, earlier) { found[index] = text }
    return found
  }

  /// Stores texts for this run only.
  public func keep(_ texts: [KeptText], in scope: String) {
    guard !texts.isEmpty else { return }
    transact { database throws(SQLiteError) in
      try TextTable(database: database).insert(texts, inScope: scope, now: .now)
    }
  }
}

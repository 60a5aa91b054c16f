import Glibc
package import SondeAsking
import SondeOptions
import SondeRedis
import SondeReport
package import SondeStore
import SondeSystem
import SondeTransfer

/// The cache and the ledger that the options and environment name.
package struct StoreSetup {
  private let context: Context
  private let folders: UserFolders

  package init(_ context: Context) {
    self.context = context
    folders = UserFolders(environment: context.environment)
  }

  /// The cache file; `nil` without a home directory.
  package var cachePath: String? { context.options.cache ?? usualCachePath }

  private var usualCachePath: String? { folders.cache.map { $0 + "/cache.db" } }

  /// The files of the ledger; none without a home directory.
  package var ledgerFiles: [String] { folders.state.map(Ledger.files(in:)) ?? [] }

  /// The data stored between runs: the cache and the ledger.
  package struct Kept {
    /// The cache; `nil` if answers are not stored.
    package var answers: (any AnswerStore)?
    /// The ledger; `nil` if quotas are not stored.
    package var ledger: (any QuotaLedger)?

    package init(answers: (any AnswerStore)? = nil, ledger: (any QuotaLedger)? = nil) {
      (self.answers, self.ledger) = (answers, ledger)
    }
  }

  /// Opens the cache, if enabled, and the ledger, whatever the options say about the cache.
  ///
  /// - Throws: ``SharedRefusalError``, or `RedisError` if a library it needs cannot be loaded.
  package func kept() async throws -> Kept {
    guard let shared = try await shared(warn: context.console.note) else {
      return Kept(answers: await keeping(store()), ledger: ledger())
    }
    let answers = cacheRules == nil ? nil : shared.answers
    return Kept(answers: await keeping(answers), ledger: shared.ledger)
  }

  /// Answers as `--cache-keep` says: without old ones, or read only.
  private func keeping(_ answers: (any AnswerStore)?) async -> (any AnswerStore)? {
    guard cacheRules != nil else { return answers }
    guard context.options.cacheKeep != .zero else {
      return UnkeptAnswers(readingFrom: answers, warn: context.console.note)
    }
    guard let answers else { return nil }
    if context.anonymizer != nil {
      let place = context.options.shared.map { "\($0)" } ?? "the cache \(cachePath ?? "")"
      context.console.note("\(place) holds the true addresses: --no-cache keeps none there")
    }
    let isThere = cachePath.map { FileStatus(path: $0) != nil } ?? false
    if let age = context.options.cacheKeep, isThere || context.options.shared != nil {
      await answers.delete(olderThan: age)
    }
    return answers
  }

  /// The data of earlier runs, for commands that only read it; creates no file.
  ///
  /// - Throws: ``SharedRefusalError``, or `RedisError` if a library it needs cannot be loaded.
  package func existing() async throws -> Kept {
    guard context.options.shared == nil else { return try await kept() }
    var kept = Kept(ledger: folders.state.map { Ledger(folder: $0, warn: context.console.note) })
    if let path = cachePath, unsafe access(path, F_OK) == 0 { kept.answers = store() }
    return kept
  }

  /// The ledger, for commands that only read it; creates no file.
  ///
  /// - Throws: ``SharedRefusalError``, or `RedisError` if a library it needs cannot be loaded.
  package func quotas() async throws -> (any QuotaLedger)? {
    if let shared = try await shared(warn: context.console.error) { return shared.ledger }
    return folders.state.map { Ledger(folder: $0, warn: context.console.error) }
  }

  /// The shared server, if the options name one, after a first attempt to connect.
  ///
  /// It is returned even if it is unreachable for now. `warn` is called if its answers cannot be
  /// listed or stored.
  ///
  /// - Throws: ``SharedRefusalError``, or `RedisError` if a library it needs cannot be loaded.
  package func shared(warn: @escaping @Sendable (String) -> Void) async throws -> SharedStore? {
    guard let place = context.options.shared else { return nil }
    let authorities = CertificateAuthorities.fromEnvironment()
    let access = RedisAccess(
      to: place,
      password: context.options.sharedPassword?.value,
      sentinelPassword: context.options.sharedSentinelPassword?.value,
      trusting: RedisTrust(file: authorities.file, folder: authorities.folder)
    )
    let store = try SharedStore(at: access, warn: warn)
    if let outage = await store.ledger.look(), outage.isRefusal {
      await store.ledger.close()
      throw SharedRefusalError(outage: outage)
    }
    return store
  }

  /// The cache of a run; `nil` if it is disabled or has no path.
  private func store() -> Store? {
    guard cacheRules != nil else { return nil }
    guard let path = cachePath else {
      context.console.note("no cache: neither XDG_CACHE_HOME nor HOME is set; see --cache")
      return nil
    }
    return store(at: path, warn: context.console.note)
  }

  /// The cache at a path; problems are passed to `warn`.
  package func store(at path: String, warn: @escaping @Sendable (String) -> Void) -> Store {
    Store(path: path, mayReplace: path == usualCachePath, warn: warn)
  }

  /// The local ledger; `nil` without a home directory.
  private func ledger() -> Ledger? {
    guard let folder = folders.state else {
      context.console.note("quotas are not shared: neither XDG_STATE_HOME nor HOME is set")
      return nil
    }
    return Ledger(folder: folder, warn: context.console.note)
  }

  /// How the answers of earlier runs are used; `nil` if they are not.
  package var cacheRules: CacheRules? {
    let options = context.options
    guard !options.noCache else { return nil }
    let usual = Duration.seconds(context.command.isForPerson ? 300 : 86_400)
    var rules = CacheRules(timeToLive: options.cacheTTL ?? usual)
    rules.allowsStale = options.staleOK
    return rules
  }
}

/// A permanent refusal by the shared server, so that waiting is useless.
package struct SharedRefusalError: Error, CustomStringConvertible {
  package let outage: LedgerOutage

  package var description: String { outage.words }
}

extension LedgerOutage {
  /// The server and the reason.
  package var words: String { "\(place): \(reason)" }
}

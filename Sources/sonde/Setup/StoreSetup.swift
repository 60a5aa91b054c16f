import Glibc
import SondeAsking
import SondeOptions
import SondeRedis
import SondeReport
import SondeStore
import SondeSystem

/// Where answers and quotas are kept, as the options and the environment say.
struct StoreSetup {
  private let context: Context
  private let folders: UserFolders

  init(_ context: Context) {
    self.context = context
    folders = UserFolders(environment: context.environment)
  }

  /// The cache that the options name, or the usual one; `nil` without a home.
  var cachePath: String? { context.options.cache ?? usualCachePath }

  private var usualCachePath: String? { folders.cache.map { $0 + "/cache.db" } }

  /// The files of the ledger of quotas; none without a home.
  var ledgerFiles: [String] { folders.state.map(Ledger.files(in:)) ?? [] }

  /// What is kept from run to run.
  struct Kept {
    /// Where answers are kept; `nil` where none are.
    var answers: (any AnswerStore)?
    /// Where quotas are kept; `nil` where they are not.
    var ledger: (any QuotaLedger)?
  }

  /// Where a run keeps answers, if that is wanted, and quotas, whatever the options say of the cache.
  ///
  /// - Throws: ``SharedRefusalError``, or `RedisError` where hiredis is needed and cannot be loaded.
  func kept() async throws -> Kept {
    guard let shared = try await shared(warn: context.console.note) else {
      return Kept(answers: store(), ledger: ledger())
    }
    return Kept(answers: cacheRules == nil ? nil : shared.answers, ledger: shared.ledger)
  }

  /// What earlier runs have kept, for who only looks at it: no file is made.
  ///
  /// - Throws: ``SharedRefusalError``, or `RedisError` where hiredis is needed and cannot be loaded.
  func existing() async throws -> Kept {
    guard context.options.shared == nil else { return try await kept() }
    var kept = Kept(ledger: folders.state.map { Ledger(folder: $0, warn: context.console.note) })
    if let path = cachePath, unsafe access(path, F_OK) == 0 { kept.answers = store() }
    return kept
  }

  /// Where quotas are kept, for who looks at them: no file is made.
  ///
  /// - Throws: ``SharedRefusalError``, or `RedisError` where hiredis is needed and cannot be loaded.
  func quotas() async throws -> (any QuotaLedger)? {
    if let shared = try await shared(warn: context.console.error) { return shared.ledger }
    return folders.state.map { Ledger(folder: $0, warn: context.console.error) }
  }

  /// The server that machines share, if the options name one; it has been tried whether it is there.
  ///
  /// - Parameter warn: Called if its answers cannot be listed or stored.
  /// - Returns: The server, also where it is gone for now.
  /// - Throws: ``SharedRefusalError``, or `RedisError` where hiredis cannot be loaded.
  func shared(warn: @escaping @Sendable (String) -> Void) async throws -> SharedStore? {
    guard let place = context.options.shared else { return nil }
    let password = context.options.sharedPassword?.value
    let store = try SharedStore(at: place, password: password, warn: warn)
    if let outage = await store.ledger.look(), outage.isRefusal {
      await store.ledger.close()
      throw SharedRefusalError(outage: outage)
    }
    return store
  }

  /// The cache of a run; `nil` where none is wanted, or there is no place for one.
  private func store() -> Store? {
    guard cacheRules != nil else { return nil }
    guard let path = cachePath else {
      context.console.note("no cache: neither XDG_CACHE_HOME nor HOME is set; see --cache")
      return nil
    }
    return store(at: path, warn: context.console.note)
  }

  /// The cache at a path; problems are reported to `warn`.
  func store(at path: String, warn: @escaping @Sendable (String) -> Void) -> Store {
    Store(path: path, mayReplace: path == usualCachePath, warn: warn)
  }

  /// Where quotas are kept on this machine; `nil` without a home.
  private func ledger() -> Ledger? {
    guard let folder = folders.state else {
      context.console.note("quotas are not shared: neither XDG_STATE_HOME nor HOME is set")
      return nil
    }
    return Ledger(folder: folder, warn: context.console.note)
  }

  /// How the answers of earlier runs are used; `nil` where they are not.
  var cacheRules: CacheRules? {
    let options = context.options
    guard !options.noCache else { return nil }
    let usual = Duration.seconds(context.command.isForPerson ? 300 : 86_400)
    var rules = CacheRules(timeToLive: options.cacheTTL ?? usual)
    rules.allowsStale = options.staleOK
    return rules
  }
}

/// The server that machines share refuses for good, so that there is nothing to wait for.
struct SharedRefusalError: Error, CustomStringConvertible {
  let outage: LedgerOutage

  var description: String { outage.words }
}

extension LedgerOutage {
  /// Where it should be, and why it cannot be used.
  var words: String { "\(place): \(reason)" }
}

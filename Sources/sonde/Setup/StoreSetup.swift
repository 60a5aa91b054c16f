import Scanner
import Store
import System

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

  /// The cache of a run; `nil` where none is wanted, or there is no place for one.
  func store() -> Store? {
    guard cacheRules != nil else { return nil }
    guard let path = cachePath else {
      context.console.note("no cache: neither XDG_CACHE_HOME nor HOME is set; see --cache")
      return nil
    }
    return store(at: path, warn: context.console.note)
  }

  /// The cache at a path; `warn` is told what is wrong with it.
  func store(at path: String, warn: @escaping @Sendable (String) -> Void) -> Store {
    Store(path: path, mayReplace: path == usualCachePath, warn: warn)
  }

  /// Where quotas are kept, whatever the options say of the cache; `nil` without a home.
  func ledger() -> Ledger? {
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

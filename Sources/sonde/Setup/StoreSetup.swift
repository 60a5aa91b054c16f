import Scanner
import Store

extension Context {
  /// Where answers and the tables of databases are kept; `nil` without a home.
  ///
  /// A relative `XDG_CACHE_HOME` is ignored, as the XDG Base Directory Specification asks.
  var cacheFolder: String? {
    if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") { return base / "sonde" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home / ".cache/sonde"
  }

  /// Where quotas and what else is to last are kept; `nil` without a home.
  var stateFolder: String? { AlertSpool.folder(in: environment) }

  /// The cache that the options name, or the usual one; `nil` without a home.
  var cachePath: String? { options.cache ?? usualCachePath }

  private var usualCachePath: String? { cacheFolder.map { $0 + "/cache.db" } }

  /// Where answers are kept; `nil` where none are to be, or there is no place for them.
  var store: Store? {
    guard cacheRules != nil else { return nil }
    guard let path = cachePath else {
      console.note("no cache: neither XDG_CACHE_HOME nor HOME is set; see --cache")
      return nil
    }
    return store(at: path) { [console] in console.note($0) }
  }

  /// Where quotas are kept, whatever the options say of the cache; `nil` without a home.
  var ledger: Ledger? {
    guard let folder = stateFolder else {
      console.note("quotas are not shared: neither XDG_STATE_HOME nor HOME is set")
      return nil
    }
    return Ledger(folder: folder) { [console] in console.note($0) }
  }

  /// The cache at a path; `warn` is told what is wrong with it.
  func store(at path: String, warn: @escaping @Sendable (String) -> Void) -> Store {
    Store(path: path, mayReplace: path == usualCachePath, warn: warn)
  }

  /// What is done with the answers of earlier runs; `nil` is nothing.
  var cacheRules: CacheRules? {
    guard !options.noCache else { return nil }
    let isForBulk = command != .lookup && command != .me
    var rules = CacheRules(timeToLive: options.cacheTTL ?? .seconds(isForBulk ? 86_400 : 300))
    rules.allowsStale = options.staleOK
    return rules
  }
}

extension String {
  /// A name in a folder, with one slash between them.
  fileprivate static func / (folder: String, name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}

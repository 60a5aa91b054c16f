import Scanner
import Store

extension Context {
  /// Where answers, quotas and the tables of databases are kept; `nil` without a home.
  ///
  /// A relative `XDG_CACHE_HOME` is ignored, as the XDG Base Directory Specification asks.
  var cacheFolder: String? {
    if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") { return base / "sonde" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home / ".cache/sonde"
  }

  /// The cache that the options name, or the usual one; `nil` without a home.
  var cachePath: String? { options.cache ?? usualCachePath }

  private var usualCachePath: String? { cacheFolder.map { $0 + "/cache.db" } }

  /// Where answers and quotas are kept.
  var store: Store? {
    guard let path = cachePath else {
      console.note("no cache: neither XDG_CACHE_HOME nor HOME is set; see --cache")
      return nil
    }
    return store(at: path) { [console] in console.note($0) }
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

import Providers
import Reachability
import Scanner
import Store
import Transfer

/// The providers of a run, and what counts their requests.
struct ProviderSetup {
  let chain: ProviderChain
  let budget: RequestBudget
  /// The local databases among them, for a word about their age.
  let databases: LocalDatabases?
  /// Where answers are kept; `nil` where none are.
  let store: Store?
  /// Where quotas are kept; `nil` where no web API is asked.
  let ledger: Ledger?

  /// Ends the use of what is kept, within a second.
  func close() async {
    await store?.close()
    await ledger?.close()
  }

  /// What a run that began at a moment has come to.
  func counters(since start: ContinuousClock.Instant) -> RunCounters {
    RunCounters(of: budget, on: chain.networkStatus, since: start)
  }
}

extension RunCounters {
  /// What has been sent and lost since a moment.
  init(
    of budget: RequestBudget,
    on network: NetworkStatus?,
    since start: ContinuousClock.Instant
  ) {
    self.init()
    requests = UInt64(clamping: budget.sent)
    throttled = UInt64(clamping: budget.throttled)
    losses = UInt64(clamping: network?.losses ?? 0)
    offline = UInt64(clamping: (network?.offlineTime ?? .zero).milliseconds)
    elapsed = UInt64(clamping: (.now - start).milliseconds)
  }
}

extension Context {
  /// Makes the providers that the options list.
  ///
  /// - Throws: ``UsageError`` for a provider that cannot be asked as configured.
  func providers(report: @escaping EventHandler) throws -> ProviderSetup {
    let isLocal = options.providers == [.local]
    let (store, rules) = (isLocal ? nil : store, cacheRules)
    let ledger = isLocal ? nil : ledger
    let budget = RequestBudget(limit: options.maxRequests)
    var listed: [ListedProvider] = []
    var databases: LocalDatabases?
    for provider in options.providers {
      if let api = try api(of: provider) {
        // A client of its own, for all of its requests are given up when its way is lost.
        let remote = RemoteProvider(
          api,
          client: try HTTPClient(configuration: clientConfiguration()),
          rules: askingRules,
          budget: budget,
          path: try path(to: api),
          ledger: ledger,
          cache: store.flatMap { store in
            rules.map { AnswerCache(of: api, in: store, rules: $0) }
          },
          report: report
        )
        listed.append(.remote(remote))
      } else {
        databases = try localDatabases()
        if let databases { listed.append(.local(databases)) }
      }
    }
    return ProviderSetup(
      chain: ProviderChain(listed, report: report),
      budget: budget,
      databases: databases,
      store: store,
      ledger: ledger
    )
  }

  /// How connections are made.
  ///
  /// - Throws: ``UsageError`` for a proxy that is none.
  func clientConfiguration() throws -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(version: Version.number)
    configuration.maximumConnections = max(16, options.concurrency)
    configuration.proxies = try proxies()
    return configuration
  }

  /// How often and how fast a web API is asked.
  var askingRules: AskingRules {
    var rules = AskingRules()
    rules.timeout = options.timeout
    rules.retries = options.retries
    rules.concurrency = options.concurrency
    switch options.offlineTimeout {
    case .after(let time): rules.patience = .after(time)
    case .forever: rules.patience = .forever
    case nil: rules.patience = .standard
    }
    rules.mayAskTwice = options.duplicates == .keep || command == .upgrade
    rules.rate = options.rate.map { Allowance(requests: $0.requests, per: $0.window) }
    return rules
  }

  /// The dialect of a web API, with its key and address; `nil` for databases on this machine.
  ///
  /// - Throws: ``UsageError`` where it cannot be asked as it is set, and what the client throws.
  func api(of provider: Provider) throws -> (any RemoteAPI)? {
    guard let service = provider.service else { return nil }
    let key = options.keys[service.key.setting]
    if provider.needsKey, key == nil {
      let setting = service.key.setting
      throw setupError(
        "\(provider.name) needs a token: set \(Setting.variable(of: setting)) or \(setting)"
      )
    }
    let api = service.api(
      at: options.baseURLs[service.url].map { BaseURL($0) },
      key: key?.value,
      fields: extraFields
    )
    try check(api.base, hasKey: key != nil, for: service.key.words)
    return api
  }

  /// Keys go over TLS, or no further than this machine.
  private func check(_ base: BaseURL, hasKey: Bool, for key: String) throws {
    guard let endpoint = try base.endpoint else {
      throw setupError("'\(base.text)' is not an http:// or https:// URL")
    }
    guard hasKey, !endpoint.isSecure, !endpoint.isLoopback else { return }
    throw setupError("\(key) is not sent to \(base.authority) without TLS; use https://")
  }

  /// The databases given, or the machine's own; `nil` where it has none and others can be asked.
  func localDatabases() throws -> LocalDatabases? {
    var paths = options.databases
    if paths.isEmpty, let standard = LocalDatabases.defaultPath { paths = [standard] }
    guard !paths.isEmpty else {
      guard options.providers == [.local] else { return nil }
      throw setupError(
        "no local database: install libloc-database, or give one with --database"
      )
    }
    do {
      return try LocalDatabases(paths: paths, tables: LocalTables(folder: cacheFolder))
    } catch {
      if case .unsupported = error.reason { throw error }
      throw setupError("\(error)")
    }
  }
}

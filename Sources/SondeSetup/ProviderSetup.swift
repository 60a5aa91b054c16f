package import SondeAsking
import SondeCompare
import SondeDatabases
import SondeOptions
package import SondeProviders
import SondeReachability
import SondeReport
package import SondeStore
import SondeSystem
import SondeTransfer

/// The providers that the options list.
package struct ProviderSetup {
  private let context: Context
  private let connections: ConnectionSetup

  private var options: Options { context.options }

  /// Adjusts the rules of a provider or, with `nil`, of the sources.
  private let adjust: @Sendable (inout AskingRules, Provider?) -> Void

  package init(
    _ context: Context,
    adjusting adjust: @escaping @Sendable (inout AskingRules, Provider?) -> Void = { _, _ in }
  ) {
    (self.context, self.adjust) = (context, adjust)
    connections = ConnectionSetup(context)
  }

  /// Creates the providers of a run; opens their cache and ledger unless they are `kept` open.
  ///
  /// - Throws: ``UsageError`` for a provider that cannot be asked as configured;
  ///   ``SharedRefusalError``.
  package func providers(
    with kept: StoreSetup.Kept? = nil,
    report: @escaping EventHandler
  ) async throws -> RunProviders {
    // All errors in options are reported before the first connection.
    let apis = try apis()
    let opened =
      if let kept { kept } else if context.asksNobody { StoreSetup.Kept() } else {
        try await StoreSetup(context).kept()
      }
    return try providers(apis, keeping: opened, report: report)
  }

  /// Creates the providers of a run.
  ///
  /// - Throws: ``UsageError`` for a provider that cannot be asked as configured.
  package func providers(
    keeping kept: StoreSetup.Kept,
    report: @escaping EventHandler
  ) throws -> RunProviders {
    try providers(try apis(), keeping: kept, report: report)
  }

  /// The listed providers, each with its web API; `nil` for the local databases.
  private typealias ListedAPIs = [(provider: Provider, api: (any RemoteAPI)?)]

  private func apis() throws -> ListedAPIs {
    try options.providers.map { ($0, try api(of: $0)) }
  }

  private func providers(
    _ apis: ListedAPIs,
    keeping kept: StoreSetup.Kept,
    report: @escaping EventHandler
  ) throws -> RunProviders {
    // A source's path is usually lost together with the provider's.
    let isAlone = context.asked.isEmpty && context.comparison == nil
    let report: EventHandler = isAlone ? report : LossTeller(report).take
    let (store, ledger) = (kept.answers, kept.ledger)
    let budget = RequestBudget(limit: options.maxRequests)
    var listed: [ListedProvider] = []
    var databases: LocalDatabases?
    for (provider, api) in apis {
      if let api {
        var asking = askingRules
        asking.rate = context.rates.rate(of: provider, rate)
        adjust(&asking, provider)
        let remote = RemoteProvider(
          api,
          // Not shared, since losing a path abandons all requests of its client.
          client: try connections.client(),
          rules: asking,
          budget: budget,
          path: try connections.path(to: api),
          ledger: ledger,
          cache: cache(of: api, in: store),
          report: report
        )
        listed.append(.remote(remote))
      } else {
        databases = try DatabaseSetup(context).databases()
        let areCompared = context.comparison != nil && options.databases.count > 1
        let each = areCompared ? databases?.each : databases.map { [$0] }
        listed += (each ?? []).map(ListedProvider.local)
      }
    }
    var merge: AnswerMerge?
    if let comparison = context.comparison { merge = { comparison.records(of: $1, from: $0) } }
    var asking = askingRules
    adjust(&asking, nil)
    let sources = try context.awaitedSources(connections, kept, asking, budget, report)
    return RunProviders(
      chain: ProviderChain(
        listed,
        adding: sources,
        merging: merge,
        report: report
      ),
      budget: budget,
      databases: databases,
      store: store,
      ledger: ledger
    )
  }

  /// The cached answers of a web API; `nil` if its answers are not cached.
  package func cache(of api: any RemoteAPI, in store: (any AnswerStore)?) -> AnswerCache? {
    guard let store, let rules = StoreSetup(context).cacheRules else { return nil }
    return AnswerCache(of: api, in: store, rules: rules)
  }

  /// The privacy notes to show before addresses are sent.
  package var cautions: [String] {
    incautious.compactMap { Help.privacy(of: $0, at: $1.base.authority) }
  }

  /// The providers that receive addresses unencrypted, with their APIs.
  package var incautious: [(Provider, any RemoteAPI)] {
    options.providers.compactMap { provider in
      guard provider.service?.caution != nil, let api = try? self.api(of: provider),
        api.isCautionDue
      else { return nil }
      return (provider, api)
    }
  }

  /// The limits for requests to a web API.
  package var askingRules: AskingRules {
    var rules = AskingRules()
    rules.timeout = options.timeout
    rules.retries = options.retries
    rules.concurrency = options.concurrency
    switch options.offlineTimeout {
    case .after(let time): rules.patience = .after(time)
    case .forever: rules.patience = .forever
    case nil: rules.patience = .standard
    }
    rules.mayAskTwice = options.duplicates == .keep || context.command == .upgrade
    return rules
  }

  package var rate: Allowance? {
    options.rate.map { Allowance(requests: $0.requests, per: $0.window) }
  }

  /// The web API of a provider, with its key and address; `nil` for local databases.
  ///
  /// - Throws: ``UsageError`` if it cannot be asked as configured, or the error of the client.
  package func api(of provider: Provider) throws -> (any RemoteAPI)? {
    guard let service = provider.service else { return nil }
    let key = options.keys[service.key.setting]
    if provider.needsKey, key == nil {
      let setting = service.key.setting
      let place = context.origin(of: "provider").place
      let variable = Setting.variable(of: setting)
      throw context.setupError(
        "\(place)\(provider.name) needs a token: set \(variable) or \(setting)"
      )
    }
    let api = service.api(
      at: options.baseURLs[service.url].map { BaseURL($0) },
      key: key?.value,
      fields: context.extraFields
    )
    try check(api.base, setBy: service.url, hasKey: key != nil, for: service.key.words)
    return api
  }

  /// Rejects a key that would leave this machine without TLS.
  private func check(
    _ base: BaseURL,
    setBy setting: String,
    hasKey: Bool,
    for key: String
  ) throws {
    // The URL may hold a password, so it is not shown.
    guard let endpoint = try base.endpoint else {
      throw context.setupError("\(Setting.variable(of: setting)) is not an http:// or https:// URL")
    }
    guard hasKey, !endpoint.isSecure, !endpoint.isLoopback else { return }
    throw context.setupError("\(key) is not sent to \(base.authority) without TLS; use https://")
  }
}

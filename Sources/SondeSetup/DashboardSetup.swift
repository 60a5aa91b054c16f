import SondeAsking
package import SondeDashboard
import SondeOptions
import SondeProviders
import SondeRecords
import SondeRedis
import SondeReport
package import SondeStore
import SondeSummary
import SondeSystem

/// The providers of the dashboard: the same for each purpose, with one cache and one ledger.
package struct DashboardSetup: Sendable {
  /// How long answers are reused for people, who expect current ones.
  private static let freshness = Duration.seconds(300)

  /// The total time for all providers except the last before a person gets an answer.
  private static let patience = Duration.milliseconds(1800)

  private let context: Context
  package let kept: StoreSetup.Kept
  package var store: (any AnswerStore)? { kept.answers }
  private let events: ServerEventsFile?

  /// Reports the events of look-ups, which have no other report.
  private let reporter: Reporter

  /// - Throws: ``SharedRefusalError``, or `RedisError` if hiredis is needed and cannot be loaded.
  package init(_ context: Context, events: ServerEventsFile? = nil) async throws {
    (self.context, self.events) = (context, events)
    reporter = Reporter(console: context.console)
    kept = try await StoreSetup(context).kept()
  }

  /// Closes the cache and the ledger, within a second.
  package func close() async {
    await kept.answers?.close()
    await kept.ledger?.close()
  }

  package var services: DashboardServices {
    var services = DashboardServices(
      choices: Provider.all.map(choice),
      providers: { purpose, names, report in
        try setup(for: purpose, names).providers(keeping: kept) { event in
          events?.write(event)
          if purpose == .lookup { tell(event) }
          report(event)
        }
      },
      list: { names in try list(names) },
      publicAddress: { try publicAddress() }
    )
    services.batches = 2 * context.options.concurrency
    services.sources = context.added
    services.moment = { text in
      TimeBound(text: text)?.milliseconds(in: .utc, now: Timestamp.now.milliseconds)
    }
    // Which of the databases answered is not stored.
    services.credits = { [context] in DataCredits.credits(for: $0, DatabaseSetup(context).builds) }
    services.warn = { [console = context.console] in console.error($0) }
    return services
  }

  private func tell(_ event: ScanEvent) {
    // Reported at startup.
    if case .firstQuestion = event { return }
    reporter.report(event)
  }

  private func choice(_ provider: Provider) -> ProviderChoice {
    var choice = ProviderChoice(name: provider.name, label: provider.label)
    do {
      // As if it were the only one, which is when a missing database matters.
      var context = context
      context.options.providers = [provider]
      let setup = ProviderSetup(context)
      if provider.service == nil { _ = try DatabaseSetup(context).databases() }
      _ = try setup.api(of: provider)
    } catch {
      choice.lack = (error as? UsageError)?.message ?? "\(error)"
    }
    return choice
  }

  /// The providers in a list of names; without one, those of the options.
  private func providers(_ names: String?) throws -> [Provider] {
    guard let names else { return context.options.providers }
    let providers = try names.split(separator: ",").map { name in
      guard let provider = Provider(name: name) else {
        throw DashboardError(.invalid, "there is no provider \(quoted(String(name)))")
      }
      if let lack = choice(provider).lack { throw DashboardError(.invalid, lack) }
      return provider
    }
    guard !providers.isEmpty, Set(providers).count == providers.count else {
      throw DashboardError(.invalid, "each provider is named once")
    }
    return providers
  }

  private func setup(
    for purpose: DashboardServices.Purpose,
    _ names: String?
  ) throws -> ProviderSetup {
    var context = context
    context.options.providers = try providers(names)
    switch purpose {
    case .scan: return ProviderSetup(context)
    case .resumption(let files):
      context.options.databases = context.givenDatabases
      return ProviderSetup(try DatabaseSetup(context).chosen(reading: files))
    case .upgrade:
      context.options.providers = Array(context.options.providers.prefix(1))
      return ProviderSetup(context) { rules, _ in rules.mayAskTwice = true }
    case .lookup:
      context.options.fields = .picked(Field.allCases)
      context.options.cacheTTL = context.options.cacheTTL ?? Self.freshness
      let remote = context.options.providers.dropLast().count { $0.service != nil }
      let last = context.options.providers.last
      return ProviderSetup(context) { rules, provider in
        // A source can be asked in addition to any of them.
        let share = provider == nil ? Self.patience : Self.patience / max(1, remote)
        rules.waitForNothing(limit: provider == last ? nil : share)
      }
    }
  }

  private func list(_ names: String?) throws -> DashboardServices.ProviderList {
    let providers = try providers(names)
    let setup = ProviderSetup(context)
    let others = Array(providers.dropFirst()) + [.local]
    return DashboardServices.ProviderList(
      estimates: try providers.map {
        try setup.estimate(for: $0, maximum: context.options.maxRequests, ledger: kept.ledger)
      },
      caches: try providers.map { provider in
        try setup.api(of: provider).flatMap { setup.cache(of: $0, in: store) }
      },
      fallbacks: providers.first?.service == nil ? [] : others.flatMap { $0.sources.map(\.source) }
    )
  }

  private func publicAddress() throws -> PublicAddress {
    let service = IPify(base: context.options.ipifyURL.map { BaseURL($0) })
    var rules = ProviderSetup(context).askingRules
    rules.waitForNothing(limit: nil)
    return try ConnectionSetup(context).publicAddress(from: service, rules) { _ in }
  }
}

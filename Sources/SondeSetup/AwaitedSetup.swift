package import SondeAsking
import SondeCatalog
import SondeNames
import SondeOptions
package import SondeProviders
import SondeRecords
package import SondeSources
import SondeStore
import SondeTransfer

extension Context {
  /// Opens the sources named by `--with` that answer over the network, in order.
  ///
  /// - Throws: ``UsageError`` for a source that cannot be asked as configured, or a client's error.
  package func awaitedSources(
    _ connections: ConnectionSetup,
    _ kept: StoreSetup.Kept,
    _ rules: AskingRules,
    _ budget: RequestBudget,
    _ report: @escaping EventHandler
  ) throws -> [any AwaitedSource] {
    var surroundings = SourceSurroundings(
      client: { try connections.client() },
      path: { try connections.path(to: $0, withSecret: $1) },
      report: report
    )
    (surroundings.rules, surroundings.budget) = (rules, budget)
    surroundings.memory = sourceMemory(kept)
    surroundings.ledger = kept.ledger
    return try asked.map { try $0.open(sourceSettings, surroundings) }
  }

  /// Whether only local databases answer, so that neither quotas nor answers are stored.
  package var asksNobody: Bool { options.providers == [.local] && asked.isEmpty }

  /// Counters of the requests to the sources that `--with` names, all at zero, for a plan.
  ///
  /// - Throws: ``UsageError`` for a source that cannot be asked as configured, `NameError` without
  ///   a resolver.
  package func sourcePlans(_ kept: StoreSetup.Kept) throws -> [any SourcePlan] {
    try asked.map { try $0.plan(sourceSettings, sourceMemory(kept)) }
  }

  private func sourceMemory(_ kept: StoreSetup.Kept) -> SourceMemory {
    SourceMemory(in: kept.answers as? any KeptTexts, youngerThan: options.cacheTTL)
  }

  /// The settings of sources that answer over the network.
  package var sourceSettings: SourceSettings {
    var settings = SourceSettings(registries: { try registries() }, access: { try access(to: $0) })
    settings.resolver = options.resolver ?? .system
    settings.asksPrivateNames = options.privateNames
    settings.asksAllNames = options.with.contains { $0.source.origin == .names }
    settings.trustsFailures = command != .upgrade
    settings.ownerReuse = options.ownerReuse
    return settings
  }

  /// The URLs of the address registries.
  ///
  /// - Throws: ``UsageError`` if a setting for them is not a URL.
  private func registries() throws -> OwnerPlaces {
    var places = OwnerPlaces(folder: listFolder)
    places.mirror = try mirror(options.registryURL, setBy: "rdap-url")
    places.directories = try mirror(options.directoryURL, setBy: "rdap-bootstrap-url")
    return places
  }

  /// How a web service is reached, with its key.
  ///
  /// - Throws: ``UsageError`` without a key that it requires, or for one that would leave this
  ///   machine without TLS.
  private func access(to service: WebService) throws -> ServiceAccess {
    let isOwn = WebService(name: service.name) == nil
    let mirror = try isOwn ? nil : mirror(options.servicesURL, setBy: "services-url")
    guard let key = service.key else { return ServiceAccess(mirror: mirror) }
    let setting = key.key.setting
    let secret = options.keys[setting]?.value
    if key.isRequired, secret == nil {
      let variable = Setting.variable(of: setting)
      throw setupError("--with \(service.name) needs a key: set \(variable) or \(setting)")
    }
    if secret != nil, let mirror, let endpoint = try mirror.endpoint, !endpoint.isSecure,
      !endpoint.isLoopback
    {
      let place = endpoint.authority
      throw setupError("\(key.key.words) is not sent to \(place) without TLS; use https://")
    }
    return ServiceAccess(mirror: mirror, key: secret)
  }

  /// The mirror that a setting names, if any.
  ///
  /// - Throws: ``UsageError`` if it is not a URL.
  package func mirror(_ text: String?, setBy setting: String) throws -> BaseURL? {
    guard let text else { return nil }
    let base = BaseURL(text)
    // The URL may hold a password, so it is not shown.
    guard try base.endpoint != nil else {
      throw setupError("\(Setting.variable(of: setting)) is not an http:// or https:// URL")
    }
    return base
  }
}

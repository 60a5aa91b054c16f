import SondeAsking
import SondeNames
import SondeOptions
import SondeProviders
import SondeRecords
import SondeSources
import SondeStore
import SondeTransfer

/// The sources of columns that are asked, as `--with` names them.
struct AwaitedSetup {
  let context: Context
  /// What they need of the run.
  let surroundings: SourceSurroundings

  /// Makes a setup.
  ///
  /// - Parameters:
  ///   - context: The options.
  ///   - connections: How servers are reached.
  ///   - kept: What is kept from run to run.
  ///   - rules: How often and how fast anybody is asked.
  ///   - report: Receives events.
  init(
    _ context: Context,
    _ connections: ConnectionSetup,
    _ kept: StoreSetup.Kept,
    _ rules: AskingRules,
    _ report: @escaping EventHandler
  ) {
    self.context = context
    var surroundings = SourceSurroundings(
      client: { try connections.client() },
      path: { try connections.path(to: $0, withSecret: false) },
      report: report
    )
    surroundings.rules = rules
    surroundings.memory = context.sourceMemory(kept)
    surroundings.ledger = kept.ledger
    self.surroundings = surroundings
  }

  /// The sources, in the order of their columns.
  ///
  /// - Throws: ``UsageError`` for one that cannot be asked as it is set, and what a client throws.
  func sources() throws -> [any AwaitedSource] {
    try context.asked.map { try $0.open(context.sourceSettings, surroundings) }
  }
}

extension Context {
  /// The sources that `--with` names and that are asked, in their order.
  var asked: [AskedSource] { options.with.compactMap(\.source.asked) }

  /// Whether local databases are all that answers, so that neither quotas nor answers are kept.
  var asksNobody: Bool { options.providers == [.local] && asked.isEmpty }

  /// What counts for a plan what the sources would be asked that `--with` names.
  ///
  /// - Parameter kept: What is kept from run to run.
  /// - Returns: The sources' counts, none yet.
  /// - Throws: ``UsageError`` for one that cannot be asked as it is set, and `NameError` where no
  ///   resolver can be had.
  func sourcePlans(_ kept: StoreSetup.Kept) throws -> [any SourcePlan] {
    try asked.map { try $0.plan(sourceSettings, sourceMemory(kept)) }
  }

  fileprivate func sourceMemory(_ kept: StoreSetup.Kept) -> SourceMemory {
    SourceMemory(in: kept.answers as? any KeptTexts, youngerThan: options.cacheTTL)
  }

  /// The settings of the sources that are asked.
  var sourceSettings: SourceSettings {
    var settings = SourceSettings { try registries() }
    settings.resolver = options.resolver ?? .system
    settings.asksPrivateNames = options.privateNames
    settings.trustsFailures = command != .upgrade
    settings.ownerReuse = options.ownerReuse
    return settings
  }

  /// The URLs of the address registries.
  ///
  /// - Throws: ``UsageError`` if they are set to something else.
  private func registries() throws -> OwnerPlaces {
    var places = OwnerPlaces(folder: listFolder)
    places.mirror = try mirror(options.registryURL, setBy: "rdap-url")
    places.directories = try mirror(options.directoryURL, setBy: "rdap-bootstrap-url")
    return places
  }

  /// A place that is asked instead.
  private func mirror(_ text: String?, setBy setting: String) throws -> BaseURL? {
    guard let text else { return nil }
    let base = BaseURL(text)
    // The URL may hold a password, and is not shown.
    guard try base.endpoint != nil else {
      throw setupError("\(Setting.variable(of: setting)) is not an http:// or https:// URL")
    }
    return base
  }
}

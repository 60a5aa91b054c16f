import SondeAsking
import SondeOptions
import SondeProviders
import SondeRecords
import SondeSources
import SondeStore

/// The sources of columns that are asked, as `--with` names them.
struct AwaitedSetup {
  /// What makes each of them, by its name in `--with`.
  private static let makers: [String: @Sendable (AwaitedSetup) throws -> any AwaitedSource] = [
    "names": { try $0.names() },
    "owner": { try $0.owner() },
  ]

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
  ///   - report: Told what happens.
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
    surroundings.memory = SourceMemory(
      in: kept.answers as? any KeptTexts,
      youngerThan: context.options.cacheTTL
    )
    surroundings.ledger = kept.ledger
    self.surroundings = surroundings
  }

  /// The sources, in the order of their columns.
  ///
  /// - Throws: ``UsageError`` for one that cannot be asked as it is set, and what a client throws.
  func sources() throws -> [any AwaitedSource] {
    try context.awaited.compactMap { try Self.makers[$0.name]?(self) }
  }
}

extension Context {
  /// The sources that `--with` names and that are asked, in their order.
  var awaited: [AddedSource] { options.with.map(\.source).filter { !$0.awaited.isEmpty } }

  /// Whether local databases are all that answers, so that neither quotas nor answers are kept.
  var asksNobody: Bool { options.providers == [.local] && awaited.isEmpty }
}

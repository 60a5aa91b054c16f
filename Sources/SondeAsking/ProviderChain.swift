package import SondeAddresses
public import SondeDatabases
import SondeProviders
public import SondeReachability
package import SondeRecords
package import SondeStore
import Synchronization

/// One provider of the list, in order of preference.
public enum ListedProvider: Sendable {
  /// A web API.
  case remote(RemoteProvider)
  /// Databases on this machine.
  case local(LocalDatabases)

  /// The web API, if it is one.
  var remote: RemoteProvider? { if case .remote(let provider) = self { provider } else { nil } }

  /// The name in `--provider` and in messages.
  public var name: String {
    switch self {
    case .remote(let provider): provider.api.source.name
    case .local: "local"
    }
  }
}

/// The providers of a run: a later one answers only what the earlier ones could not.
public final class ProviderChain: Sendable {
  /// Addresses that the local databases are asked for at once.
  private static let localBatch = 512

  /// The providers in order of preference.
  public let providers: [ListedProvider]

  /// Who is asked for further columns, in the order of these.
  public let sources: [any AwaitedSource]

  let report: EventHandler
  let handovers = Mutex(Handovers())
  /// Rings when somebody may have taken over.
  let untold = Bell()

  /// Makes a chain.
  ///
  /// - Parameters:
  ///   - providers: The providers in order of preference.
  ///   - sources: Who is asked for further columns, in the order of these.
  ///   - report: Told when another provider takes over.
  public init(
    _ providers: [ListedProvider],
    adding sources: [any AwaitedSource] = [],
    report: @escaping EventHandler
  ) {
    (self.providers, self.sources, self.report) = (providers, sources, report)
    let remote = providers.compactMap(\.remote)
    for (index, provider) in remote.enumerated() {
      provider.know(Array(remote[..<index] + remote[(index + 1)...]))
    }
  }

  /// The addresses worth gathering for one question to the first provider that still answers.
  public var batchLimit: Int {
    for case .remote(let provider) in providers where provider.isAvailable {
      return provider.batchLimit
    }
    return Self.localBatch
  }

  /// Whether every provider's answer is computed here.
  package var isLocal: Bool { providers.allSatisfy { $0.remote == nil } }

  /// Whether nobody has to be waited for.
  package var isImmediate: Bool { isLocal && sources.isEmpty }

  /// Whether the first provider is a web API that still answers.
  package var asksRemotely: Bool {
    providers.first?.remote?.isAvailable ?? false
  }

  /// Requests that the first remote provider's quota allows at the moment, if it has one.
  public var remaining: Int? {
    for case .remote(let provider) in providers { return provider.remaining }
    return nil
  }

  /// The network as the first monitor sees it, of a web API or else of a source; `nil` where nothing is
  /// watched.
  public var networkStatus: NetworkStatus? {
    providers.lazy.compactMap(\.remote?.network?.status).first
      ?? sources.lazy.compactMap(\.networkStatus).first
  }

  /// Runs `work` while the paths to the web APIs are watched.
  public func watchingNetwork<Result: Sendable>(
    _ work: () async -> Result
  ) async -> Result {
    await withTaskGroup(of: Void.self) { group in
      for provider in providers.compactMap(\.remote) {
        group.addTask { await provider.watchNetwork() }
      }
      for source in sources { group.addTask { await source.watch() } }
      group.addTask { await self.watchHandovers() }
      let result = await work()
      group.cancelAll()
      tell(handovers.withLock { $0.finish() })
      return result
    }
  }

  /// Lets no request out any more, because the run is about to end or to be cancelled: those under way
  /// come to their ends, and who waits for a permit, the network or another try gets a
  /// `CancellationError`.
  ///
  /// Tasks are cancelled one after the other: the permit of the first would let out another before
  /// that is cancelled, too, only to be cut off.
  public func stopAsking() {
    for provider in providers.compactMap(\.remote) { provider.stopAsking() }
    for source in sources { source.stopAsking() }
  }

  /// Whether a provider has refused, or its quota of a day or longer was spent, in this run.
  public var hasRefusal: Bool {
    providers.contains { $0.remote?.hasRefused ?? false }
  }

  /// What is known of addresses without asking: what databases on this machine hold, where they are
  /// all there is, or what earlier runs were told by the first provider.
  package func known(_ addresses: [Address]) async -> KnownAnswers {
    if let answers = localAnswers(to: addresses) { return KnownAnswers(all: answers) }
    var known = await providers.first?.remote?.cache?.lookUp(addresses) ?? KnownAnswers()
    // What the first knows nothing of, a later one may know.
    if providers.count > 1, known.removeAll(where: { $0.status == .unknown }) { known.view = nil }
    return known
  }

  /// What databases on this machine hold about addresses, where they are all there is.
  ///
  /// - Parameter addresses: The addresses.
  /// - Returns: A record for each, in that order; `nil` where others are asked, too.
  package func localAnswers(to addresses: [Address]) -> RecordBlock? {
    guard providers.count == 1, case .local(let databases) = providers[0] else { return nil }
    return databases.answers(to: addresses)
  }

  /// Which answers addresses have by number, where one compiled database is all there is.
  package func localAnswerNumbers(of addresses: [Address]) -> AnswerNumbers? {
    guard providers.count == 1, case .local(let databases) = providers[0] else { return nil }
    return databases.answerNumbers(of: addresses)
  }
}

extension LocalDatabases {
  /// A record for each address, in that order: ``Status/ok``, or ``Status/unknown`` with a message.
  func answers(to addresses: [Address]) -> RecordBlock {
    var block = lookUp(addresses)
    block.explainUnknown("local has nothing about it")
    return block
  }
}

extension KnownAnswers {
  /// Answers to all addresses of a question, in their order.
  fileprivate init(all block: RecordBlock) {
    self.init()
    (self.block, positions) = (block, Array(block.records.indices))
  }
}

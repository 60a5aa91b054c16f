public import SondeAddresses
public import SondeDatabases
import SondeProviders
public import SondeReachability
public import SondeRecords
package import SondeStore
import Synchronization

/// A provider of the list.
public enum ListedProvider: Sendable {
  /// A web API.
  case remote(RemoteProvider)
  /// Local databases.
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

/// Makes one record of what all providers say of each address.
///
/// `answers` has a block for each provider, in order, with a record for each of the addresses.
public typealias AnswerMerge =
  @Sendable (_ answers: [RecordBlock], _ addresses: [Address]) -> RecordBlock

/// The providers of a run in order of preference; each is only asked what the earlier ones could
/// not answer, unless their answers are merged: then all are asked about every address, at once.
public final class ProviderChain: Sendable {
  /// The number of addresses per look-up in local databases.
  private static let localBatch = 512

  /// The providers in order of preference.
  public let providers: [ListedProvider]

  /// The sources of added columns, in order.
  public let sources: [any AwaitedSource]

  /// Merges the answers of all providers; `nil` if the first answer counts.
  let merge: AnswerMerge?

  let report: EventHandler
  let handovers = Mutex(Handovers())
  /// Rings when there may be a hand-over.
  let untold = Bell()

  /// Creates a chain of providers in order of preference; `report` receives hand-overs.
  ///
  /// With `merge` there are none: each provider waits for its own path and quota.
  public init(
    _ providers: [ListedProvider],
    adding sources: [any AwaitedSource] = [],
    merging merge: AnswerMerge? = nil,
    report: @escaping EventHandler
  ) {
    (self.providers, self.sources, self.report) = (providers, sources, report)
    self.merge = merge
    let remote = providers.compactMap(\.remote)
    for (index, provider) in remote.enumerated() {
      let others = Array(remote[..<index] + remote[(index + 1)...])
      provider.know(others, canReplaceIt: merge == nil)
    }
  }

  /// Sends the requests of its web APIs in turn with other runs of this process that share their
  /// quotas; to be called before the first one.
  public func join(_ turns: RequestTurns, of user: String, _ rank: RequestTurns.Rank) {
    for provider in providers.compactMap(\.remote) { provider.join(turns, of: user, rank) }
  }

  /// Continues a scan with these records: a web API that answered then is waited for as if it had
  /// answered now, so that a restart during an outage loses nothing.
  package func resume(after tally: Tally) {
    for provider in providers.compactMap(\.remote)
    where tally.hasAnswer(of: provider.api.source) {
      provider.network?.noteEarlierAnswer()
    }
  }

  /// The largest useful number of addresses for a request to the first available provider; of all
  /// if their answers are merged, since each splits what it is asked.
  public var batchLimit: Int {
    if merge != nil { return providers.compactMap(\.remote?.batchLimit).max() ?? Self.localBatch }
    for case .remote(let provider) in providers where provider.isAvailable {
      return provider.batchLimit
    }
    return Self.localBatch
  }

  /// Whether all answers are from local databases.
  package var isLocal: Bool { providers.allSatisfy { $0.remote == nil } }

  /// Whether no answer has to be waited for.
  package var isImmediate: Bool { isLocal && sources.isEmpty }

  /// Whether the first available provider is a web API, or one of those whose answers are merged.
  package var asksRemotely: Bool {
    guard merge == nil else { return !isLocal }
    return providers.first?.remote?.isAvailable ?? false
  }

  /// The number of requests that the first remote provider's quota permits now, if it has one.
  public var remaining: Int? {
    for case .remote(let provider) in providers { return provider.remaining }
    return nil
  }

  /// The state of the network by the first monitor, of a web API or a source; `nil` if nothing is
  /// watched.
  public var networkStatus: NetworkStatus? {
    providers.lazy.compactMap(\.remote?.network?.status).first
      ?? sources.lazy.compactMap(\.networkStatus).first
  }

  /// Runs `work` while watching the paths to the web APIs.
  public func watchingNetwork<Result: Sendable>(_ work: () async -> Result) async -> Result {
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

  /// Sends no more requests, because the run is about to end or to be cancelled.
  ///
  /// Running requests are finished, and tasks that wait for a permit, the network or a retry get a
  /// `CancellationError`. Without this, cancelling tasks one by one would release the permit of the
  /// first one to another that is about to be cancelled, too.
  public func stopAsking() {
    for provider in providers.compactMap(\.remote) { provider.stopAsking() }
    for source in sources { source.stopAsking() }
  }

  /// Whether a provider has refused in this run, or its quota of a day or longer was spent.
  public var hasRefusal: Bool { providers.contains { $0.remote?.hasRefused ?? false } }

  /// Whether answers depend on the times of questions.
  package var isDated: Bool {
    providers.contains {
      if case .local(let databases) = $0 { databases.periods != nil } else { false }
    }
  }

  /// The known answers about addresses: those of local databases if there is nothing else,
  /// otherwise those of earlier runs from the first provider.
  ///
  /// `periods` are those of the questions, if answers depend on them.
  package func known(
    _ addresses: [Address],
    in periods: [BuildPeriod] = []
  ) async -> KnownAnswers {
    if let answers = localAnswers(to: addresses, in: periods) {
      return KnownAnswers(all: answers)
    }
    // Each provider looks into the cache when it is asked.
    guard merge == nil else { return KnownAnswers() }
    var known = await providers.first?.remote?.cache?.lookUp(addresses) ?? KnownAnswers()
    // A later provider may know what the first does not.
    if providers.count > 1, known.removeAll(where: { $0.status == .unknown }) { known.view = nil }
    return known
  }

  /// The local databases' records of addresses, in order; `nil` if there are other providers.
  package func localAnswers(
    to addresses: [Address],
    in periods: [BuildPeriod] = []
  ) -> RecordBlock? {
    if let merge {
      let all = providers.compactMap { provider -> RecordBlock? in
        if case .local(let databases) = provider { databases.answers(to: addresses) } else { nil }
      }
      return all.count == providers.count ? merge(all, addresses) : nil
    }
    guard providers.count == 1, case .local(let databases) = providers[0] else { return nil }
    return databases.answers(to: addresses, in: periods)
  }

  /// The numbers of the answers about addresses, if one compiled database is the only provider.
  package func localAnswerNumbers(of addresses: [Address]) -> AnswerNumbers? {
    guard merge == nil, providers.count == 1, case .local(let databases) = providers[0] else {
      return nil
    }
    return databases.answerNumbers(of: addresses)
  }
}

extension LocalDatabases {
  /// A record for each address, in order: ``Status/ok``, or ``Status/unknown`` with a message.
  func answers(to addresses: [Address], in periods: [BuildPeriod] = []) -> RecordBlock {
    var block = lookUp(addresses, in: periods)
    block.explainUnknown("local has nothing about it")
    return block
  }
}

extension KnownAnswers {
  fileprivate init(all block: RecordBlock) {
    self.init()
    (self.block, positions) = (block, Array(block.records.indices))
  }
}

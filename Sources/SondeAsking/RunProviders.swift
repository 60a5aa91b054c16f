public import SondeDatabases
public import SondeOutputs
public import SondeReachability
import SondeRecords
public import SondeStore

/// The providers of a run with their stores and counters.
public struct RunProviders: Sendable {
  /// The providers.
  public let chain: ProviderChain

  /// The counter of requests.
  public let budget: RequestBudget

  /// The local databases among them, for a warning about their age.
  public let databases: LocalDatabases?

  /// The cache of answers; `nil` for none.
  public let store: (any AnswerStore)?

  /// The ledger of quotas; `nil` without a web API.
  public let ledger: (any QuotaLedger)?

  /// Creates the providers of a run.
  public init(
    chain: ProviderChain,
    budget: RequestBudget,
    databases: LocalDatabases?,
    store: (any AnswerStore)?,
    ledger: (any QuotaLedger)?
  ) {
    (self.chain, self.budget, self.databases) = (chain, budget, databases)
    (self.store, self.ledger) = (store, ledger)
  }

  /// The files of the local databases, by their ``DatabaseFiles/spelling(of:)``.
  public var databaseFiles: String {
    DatabaseFiles.spelling(of: databases?.builds.map(\.path) ?? [])
  }

  /// Closes the store and the ledger within a second.
  public func close() async {
    await store?.close()
    await ledger?.close()
  }
}

extension RunCounters {
  /// Creates the counters of a run since `start`; `nil` for no requests or an unwatched network.
  public init(
    since start: ContinuousClock.Instant,
    _ budget: RequestBudget?,
    _ network: NetworkStatus?
  ) {
    self.init()
    requests = UInt64(clamping: budget?.sent ?? 0)
    throttled = UInt64(clamping: budget?.throttled ?? 0)
    ownerRequests = UInt64(clamping: budget?.registries.sent ?? 0)
    ownerThrottled = UInt64(clamping: budget?.registries.throttled ?? 0)
    losses = UInt64(clamping: network?.losses ?? 0)
    offline = UInt64(clamping: (network?.offlineTime ?? .zero).milliseconds)
    elapsed = UInt64(clamping: (.now - start).milliseconds)
  }
}

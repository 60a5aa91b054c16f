import Providers
import Reachability
import Scanner
import Store

/// The providers of a run, and what is kept of its requests and answers.
struct RunProviders {
  let chain: ProviderChain
  let budget: RequestBudget
  /// The local databases among them, for a word about their age.
  let databases: LocalDatabases?
  /// Where answers are kept; `nil` where none are.
  let store: Store?
  /// Where quotas are kept; `nil` where no web API is asked.
  let ledger: Ledger?

  /// Closes the store and the ledger, within a second.
  func close() async {
    await store?.close()
    await ledger?.close()
  }
}

extension RunCounters {
  /// What has been sent and lost since a moment.
  ///
  /// - Parameters:
  ///   - start: The moment.
  ///   - budget: What counts the requests; `nil` where none are sent.
  ///   - network: What counts the losses; `nil` where the network is not watched.
  init(
    since start: ContinuousClock.Instant,
    _ budget: RequestBudget?,
    _ network: NetworkStatus?
  ) {
    self.init()
    requests = UInt64(clamping: budget?.sent ?? 0)
    throttled = UInt64(clamping: budget?.throttled ?? 0)
    losses = UInt64(clamping: network?.losses ?? 0)
    offline = UInt64(clamping: (network?.offlineTime ?? .zero).milliseconds)
    elapsed = UInt64(clamping: (.now - start).milliseconds)
  }
}

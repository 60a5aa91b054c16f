public import SondeAsking
public import SondeProviders
public import SondeReachability
public import SondeStore
public import SondeTransfer

/// The environment of a run for sources that are asked.
public struct SourceSurroundings: Sendable {
  /// The time limits, retries, concurrency and patience.
  public var rules = AskingRules()

  /// The results of earlier runs.
  public var memory = SourceMemory()

  /// The shared ledger of quotas; `nil` to keep them locally.
  public var ledger: (any QuotaLedger)?

  /// Creates an HTTP client with the environment's proxies and its own connections.
  public var client: @Sendable () throws -> HTTPClient

  /// Returns the first host of requests to a URL, perhaps with a secret: its own, or the proxy.
  public var path: @Sendable (BaseURL, _ withSecret: Bool) throws -> SondeReachability.Endpoint?

  /// The resolver that several sources may ask.
  public let resolver = SharedResolver()

  /// Counts the requests of the run, and limits them.
  public var budget = RequestBudget(limit: nil)

  /// Receives waits, retries and losses.
  public var report: EventHandler

  /// Creates an environment with the default rules and no stores.
  public init(
    client: @escaping @Sendable () throws -> HTTPClient,
    path:
      @escaping @Sendable (BaseURL, _ withSecret: Bool) throws ->
      SondeReachability.Endpoint?,
    report: @escaping EventHandler
  ) {
    (self.client, self.path, self.report) = (client, path, report)
  }

  /// Creates the gate of a path, which is closed while the network is lost.
  ///
  /// `question` tests whether it is open again; `nil` for a TCP connection.
  func gate(
    to endpoint: SondeReachability.Endpoint,
    asking question: (@Sendable () async -> Finding)? = nil,
    outage: @escaping @Sendable () -> LedgerOutage? = { nil }
  ) -> NetworkGate {
    NetworkGate(
      to: endpoint,
      probe: question.map { PathProbe(asking: $0) } ?? PathProbe(to: endpoint) { .inconclusive },
      patience: rules.patience,
      outage: outage,
      report: report
    )
  }
}

public import SondeAsking
public import SondeProviders
public import SondeReachability
public import SondeStore
public import SondeTransfer

/// What a source that is asked needs of the run that it is for.
public struct SourceSurroundings: Sendable {
  /// The time for a question, the tries, how many at once, and how long the network is waited for.
  public var rules = AskingRules()

  /// What it has found in earlier runs.
  public var memory = SourceMemory()

  /// Where quotas are shared with other processes; `nil` keeps them here.
  public var ledger: (any QuotaLedger)?

  /// Makes a client for HTTP, by the proxies of the environment; it shares its connections with no other.
  public var client: @Sendable () throws -> HTTPClient

  /// Where the requests to a host go first: there, or to the proxy before it.
  public var path: @Sendable (BaseURL) throws -> SondeReachability.Endpoint?

  /// Told of waits, retries and losses.
  public var report: EventHandler

  /// Makes surroundings with the default rules, in which nothing is kept.
  ///
  /// - Parameters:
  ///   - client: Makes a client.
  ///   - path: Says where requests go first.
  ///   - report: Told of waits, retries and losses.
  public init(
    client: @escaping @Sendable () throws -> HTTPClient,
    path: @escaping @Sendable (BaseURL) throws -> SondeReachability.Endpoint?,
    report: @escaping EventHandler
  ) {
    (self.client, self.path, self.report) = (client, path, report)
  }

  /// Makes the gate of a path, which is closed while the network is lost.
  ///
  /// - Parameters:
  ///   - endpoint: Where the path leads.
  ///   - question: Looks whether it is open again; `nil` tries a TCP connection.
  /// - Returns: The gate.
  func gate(
    to endpoint: SondeReachability.Endpoint,
    asking question: (@Sendable () async -> Finding)? = nil
  ) -> NetworkGate {
    let probe = question.map { PathProbe(asking: $0) } ?? PathProbe(to: endpoint) { .inconclusive }
    return NetworkGate(to: endpoint, probe: probe, patience: rules.patience, report: report)
  }
}

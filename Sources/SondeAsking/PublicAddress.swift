public import SondeAddresses
public import SondeProviders
public import SondeReachability
import SondeRecords
import SondeSystem
public import SondeTransfer

/// Asks ipify for this machine's public address, by the same rules as other questions.
public struct PublicAddress: Sendable {
  /// The result.
  public enum Outcome: Sendable {
    case found(Address)
    /// No answer, with the reason.
    case failed(String)
    /// The service refuses this user, with the reason.
    case refused(String)
    /// The network was lost for longer than the patience, with the cause.
    case networkLost(String)
  }

  private let service: IPify
  private let client: HTTPClient
  private let rules: AskingRules
  private let report: EventHandler
  /// Counts the requests.
  public let budget = RequestBudget(limit: nil)
  /// `nil` if the path cannot be watched.
  private let network: NetworkGate?

  /// Creates a question; `path` leads to the first host, the service or a proxy, if it is watched.
  public init(
    from service: IPify,
    client: HTTPClient,
    rules: AskingRules,
    path: SondeReachability.Endpoint?,
    report: @escaping EventHandler
  ) {
    (self.service, self.client, self.rules, self.report) = (service, client, rules, report)
    let probe = Self.request(to: service, timeout: PathProbe.timeout)
    network = path.map { [budget] path in
      let probe = PathProbe(to: path) {
        let (verdict, _) = try await Self.exchange(probe, with: service, over: client, budget)
        return verdict.finding
      }
      return NetworkGate(to: path, probe: probe, patience: rules.patience, report: report)
    }
  }

  /// The state of the network on the path; `nil` if it is not watched.
  public var networkStatus: NetworkStatus? { network?.status }

  /// Asks until there is an answer, or retries are useless.
  ///
  /// - Throws: `CancellationError` only.
  public func find() async throws -> Outcome {
    // Cancelled at the end, since it is not awaited.
    async let _ = network?.watch(onLoss: { _ in client.giveUpAll() }, onChange: {})
    network?.begin()
    return try await ask()
  }

  private func ask() async throws -> Outcome {
    var standing = ProviderStanding(form: .single)
    var question = ProviderStanding.Question(addresses: 1, form: .single)
    var failures = 0
    while true {
      if let network, case .lost(let reason) = try await network.pass(unless: { false }) {
        return .networkLost(reason)
      }
      // Read before checking the path, so that a loss in between abandons the request.
      let giveUps = client.giveUps
      guard network?.isOpen ?? true else { continue }
      var request = Self.request(to: service, timeout: rules.timeout)
      request.isFreshConnection = question.isFreshConnection
      let (verdict, address) = try await Self.exchange(
        request,
        with: service,
        over: client,
        budget,
        after: giveUps
      )
      if let path = verdict.path { network?.take(Finding(path)) }
      if let address { return .found(address) }
      if network == nil, verdict.path?.isLoss == true { return .networkLost(verdict.words) }
      let (step, _) = standing.take(verdict, of: question, hasAnswer: false, now: .now, wall: .now)
      switch step {
      case .again(let isFresh): question.isFreshConnection = isFresh
      case .retry(isFree: true): try await ContinuousClock().sleep(for: verdict.wait)
      case .retry(isFree: false):
        failures += 1
        let tries = failures == 1 ? "" : " (\(failures) attempts)"
        guard failures <= rules.retries else { return .failed(verdict.words + tries) }
        try await pause(failures, verdict)
      case .failed(let message):
        let isRefusal = standing.refusal != nil || standing.hasSpentQuota
        return isRefusal ? .refused(message) : .failed(message)
      case .done, .askOnceMore, .singly, .split: return .failed(verdict.words)
      }
    }
  }

  /// Waits before a retry, and reports it.
  private func pause(_ failures: Int, _ verdict: ExchangeVerdict) async throws {
    var generator = SystemRandomNumberGenerator()
    let wait = max(verdict.wait, rules.backoff.delay(attempt: failures, using: &generator))
    report(.retry(provider: IPify.name, attempt: failures, wait: wait, message: verdict.words))
    try await ContinuousClock().sleep(for: wait)
  }

  private static func request(to service: IPify, timeout: Duration) -> Request {
    var request = service.request
    (request.timeout, request.connectTimeout) = (timeout, timeout)
    return request
  }

  /// Makes one exchange; returns its result and any address, and throws `CancellationError` only.
  private static func exchange(
    _ request: Request,
    with service: IPify,
    over client: HTTPClient,
    _ budget: RequestBudget,
    after giveUps: Int? = nil
  ) async throws -> (ExchangeVerdict, Address?) {
    _ = budget.spend()
    do {
      let response = try await client.send(request, after: giveUps)
      if response.status == 429 { budget.countThrottled() }
      let (reading, address) = service.read(response, time: Timestamp.now.seconds)
      return (ExchangeVerdict(response, reading, form: .single), address)
    } catch let error as TransferError {
      let verdict = ExchangeVerdict(error)
      if !verdict.wasSent { budget.refund() }
      return (verdict, nil)
    }
  }
}

import SondeAddresses
public import SondeProviders
public import SondeReachability
import SondeRecords
public import SondeStore
public import SondeSystem
public import SondeTransfer
import Synchronization

/// The rules for asking a remote provider.
public struct AskingRules: Sendable {
  /// The time limit per request.
  public var timeout = Duration.seconds(10)
  /// The number of retries.
  public var retries = 4
  /// The number of concurrent requests.
  public var concurrency = 8
  /// The user's rate, which also replaces the provider's published quota.
  public var rate: RequestRate?
  /// How long addresses are held back while the network is lost.
  public var patience = OfflinePatience.standard
  /// How long to wait for the quota, or for a pause that the provider requires.
  public var quotaPatience = ExchangeVerdict.longestWait

  /// Whether to send single look-ups, within their own quota.
  public var asksSingly = false

  /// Whether addresses may repeat, so that this process may have an answer meanwhile.
  public var mayAskTwice = false
  /// The wait between attempts.
  public var backoff = Backoff()

  /// Creates the default rules.
  public init() {}

  /// Changes the rules for interactive questions: no retries, no waiting for the network or a
  /// quota, and at most `limit` per request.
  public mutating func waitForNothing(limit: Duration?) {
    (patience, quotaPatience, retries, asksSingly) = (.after(.zero), .zero, 0, true)
    timeout = min(timeout, limit ?? timeout)
  }
}

/// Asks one web API within its quota, with retries.
///
/// Every requested address results in exactly one record, whatever the provider does.
public final class RemoteProvider: Sendable {
  /// The number of consecutive faults of other look-ups, and of failed parts of a batch, from which
  /// the batch is no longer considered the cause and split.
  static let faultsOfOthers = 1
  static let failedParts = 3

  struct State {
    var standing: ProviderStanding
    var isAsked = false
    var lastTurn: UInt64 = 0
  }

  let api: any RemoteAPI
  let client: HTTPClient
  let rules: AskingRules
  let budget: RequestBudget
  let report: EventHandler
  /// The gate of the path; `nil` if it cannot be watched.
  let network: NetworkGate?
  let batchGate: QuotaGate
  let singleGate: QuotaGate
  /// The shared ledger of its quota; `nil` to keep it locally.
  let ledger: (any QuotaLedger)?
  /// The answers of earlier runs; `nil` if they are not used.
  let cache: AnswerCache?
  let state: Mutex<State>
  /// Rings when no more requests may be sent.
  let stop = Bell()
  /// The other web APIs of the list, set once, and whether they answer in place of this one.
  private let alternatives = Mutex<(list: [WeakProvider], canReplaceIt: Bool)>(([], false))

  /// Weak, since the references are mutual.
  private struct WeakProvider: Sendable {
    weak let provider: RemoteProvider?
  }

  /// Creates a provider; its network is only watched on a `path`, which leads to the first host of
  /// requests, and its quota is only shared with a `ledger`.
  public init(
    _ api: some RemoteAPI,
    client: HTTPClient,
    rules: AskingRules,
    budget: RequestBudget,
    path: SondeReachability.Endpoint?,
    ledger: (any QuotaLedger)? = nil,
    cache: AnswerCache? = nil,
    report: @escaping EventHandler
  ) {
    self.api = api
    (self.client, self.rules, self.budget, self.report) = (client, rules, budget, report)
    let source = api.source
    func gate(_ form: RequestForm) -> QuotaGate {
      let quota = Quota(of: api, form, rate: rules.rate?.allowance)
      let account = ledger.map { QuotaAccount($0, of: api, form) }
      return QuotaGate(quota: quota, ledger: account, rules) {
        report(.quota(provider: source, wait: $0, remaining: $1))
      }
    }
    batchGate = gate(.batch)
    singleGate = gate(.single)
    (self.ledger, self.cache) = (ledger, cache)
    network = path.map { [singleGate] path in
      let question = ProviderProbe(api: api, client: client, budget: budget, quota: singleGate)
      let probe = PathProbe(to: path) { try await question() }
      return NetworkGate(
        to: path,
        probe: probe,
        patience: rules.patience,
        outage: { ledger?.outage },
        report: report
      )
    }
    let takesBatches = !rules.asksSingly && api.limit(of: .batch) > 0
    let form = takesBatches ? RequestForm.batch : .single
    state = Mutex(State(standing: ProviderStanding(form: form)))
  }

  /// Sends requests in turn with other runs of this process that share its quotas.
  func join(_ turns: RequestTurns, of user: String, _ rank: RequestTurns.Rank) {
    for (gate, form) in [(batchGate, RequestForm.batch), (singleGate, .single)] {
      gate.join(turns, at: QuotaAccount.account(of: api, form), of: user, rank)
    }
  }

  /// The other web APIs of the list.
  var others: [RemoteProvider] { alternatives.withLock { $0.list.compactMap(\.provider) } }

  /// Whether another web API of the list can be asked while this one's path is closed.
  func hasOtherPath() -> Bool {
    guard alternatives.withLock({ $0.canReplaceIt }) else { return false }
    return others.contains(where: \.isWorthAsking)
  }

  func know(_ others: [RemoteProvider], canReplaceIt: Bool) {
    alternatives.withLock { $0 = (others.map { WeakProvider(provider: $0) }, canReplaceIt) }
  }

  /// Whether its path is open, as far as known.
  var isReachable: Bool { network?.isOpen ?? true }

  /// Whether it may answer questions of a provider without a path.
  var isWorthAsking: Bool { isAvailable && isReachable }

  /// Whether it can be asked at the moment, apart from its path.
  var isAvailable: Bool { state.withLock { $0.standing.unavailability(now: .now) } == nil }

  /// Whether it refused, or its quota of a day or longer was spent, at some time in the run.
  var hasRefused: Bool {
    state.withLock { $0.standing.refusal != nil || $0.standing.hasSpentQuota }
  }

  /// Starts to watch its path, and the paths of its alternatives.
  func beginWatching() {
    guard let network, !network.hasBegun else { return }
    network.begin()
    for other in others { other.network?.begin() }
  }

  /// Watches the network and the ledger until the task is cancelled.
  func watchNetwork() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.watchLedger() }
      await network?.watch { cause in
        // Requests that were permitted before the loss of the ledger are already paid for.
        if cause != .sharedUnreachable { client.giveUpAll() }
        sendBack()
      } onChange: {
        // Tasks that wait for another path may use this one now.
        for other in others { other.network?.lookAgain() }
      }
    }
  }

  private func watchLedger() async {
    guard let ledger, let network else { return }
    for await _ in ledger.outages() { network.noteOutage() }
  }

  /// Makes tasks that wait for the quota check their other conditions.
  func sendBack() { for gate in [batchGate, singleGate] { gate.sendBack() } }

  /// Sends no more requests: running ones finish, and waiting tasks get a `CancellationError`.
  func stopAsking() {
    for gate in [batchGate, singleGate] { gate.close(.cancelled) }
    network?.close()
    stop.ring()
  }

  /// The time until its spent quota is renewed; `nil` if it is not spent.
  var quotaWait: Duration? { state.withLock { $0.standing.quotaWait(now: .now) } }

  /// The current largest number of addresses per request.
  public var batchLimit: Int { api.limit(of: form) }

  /// The current form of requests.
  public var form: RequestForm { state.withLock { $0.standing.form } }

  /// The number of requests that the quota permits now; `nil` without a window.
  public var remaining: Int? { gate(form).remaining }
}

import SondeAddresses
public import SondeProviders
public import SondeReachability
import SondeRecords
public import SondeStore
public import SondeTransfer
import Synchronization

/// How a remote provider is asked.
public struct AskingRules: Sendable {
  /// The time for one request.
  public var timeout = Duration.seconds(10)
  /// Tries after the first one.
  public var retries = 4
  /// Requests under way at once.
  public var concurrency = 8
  /// The rate that the user sets, also in place of the provider's published quota.
  public var rate: RequestRate?
  /// How long addresses are held back while the network is lost.
  public var patience = OfflinePatience.standard
  /// How long the quota, or a pause that the provider wants, is waited for.
  public var quotaPatience = ExchangeVerdict.longestWait

  /// Whether addresses are asked for one at a time, within the quota that is for that.
  public var asksSingly = false

  /// Whether an address may come again, so that an own answer may be there by then.
  public var mayAskTwice = false
  /// The wait between tries.
  public var backoff = Backoff()

  /// Makes the default rules.
  public init() {}

  /// Makes them those of a question that a person waits for: neither the network nor a quota is
  /// waited for, and nothing is tried twice.
  ///
  /// - Parameter limit: The time for a request; `nil` leaves it.
  public mutating func waitForNothing(limit: Duration?) {
    (patience, quotaPatience, retries, asksSingly) = (.after(.zero), .zero, 0, true)
    timeout = min(timeout, limit ?? timeout)
  }
}

/// Asks one web API within its quota, and again where that may help.
///
/// Every address asked comes back as exactly one record, whatever the provider does.
public final class RemoteProvider: Sendable {
  /// Faults in a row of other look-ups, and failed parts of one, after which a batch is not taken
  /// apart any more: then it is not the batch.
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
  /// Knows whether the path is open; `nil` where nothing could watch it.
  let network: NetworkGate?
  let batchGate: QuotaGate
  let singleGate: QuotaGate
  /// Where its quota is shared; `nil` where it is kept here.
  let ledger: (any QuotaLedger)?
  /// The answers of earlier runs; `nil` where they are not to be used.
  let cache: AnswerCache?
  let state: Mutex<State>
  /// Rings when no more is to be asked.
  let stop = Bell()
  /// The other web APIs of the list; set once, when the list is made.
  private let alternatives = Mutex<[WeakProvider]>([])

  /// Weak, for each has the others.
  private struct WeakProvider: Sendable {
    weak let provider: RemoteProvider?
  }

  /// Makes a provider that has not been asked yet.
  ///
  /// - Parameters:
  ///   - api: How to ask it and what its answers mean.
  ///   - client: Sends the requests.
  ///   - rules: How often and how fast it is asked.
  ///   - budget: Counts the requests of all providers of a run.
  ///   - path: Where its requests go first, the provider or a proxy; `nil` watches no path.
  ///   - ledger: Where its quota is shared with other processes; `nil` keeps it here.
  ///   - cache: Where its answers are kept; `nil` keeps none.
  ///   - report: Told of waits, retries and changes of the provider's state.
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
    self.client = client
    self.rules = rules
    self.budget = budget
    self.report = report
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

  /// The other web APIs of the list.
  var others: [RemoteProvider] { alternatives.withLock { $0.compactMap(\.provider) } }

  /// Names the other web APIs of the list.
  func know(_ others: [RemoteProvider]) {
    alternatives.withLock { $0 = others.map { WeakProvider(provider: $0) } }
  }

  /// Whether its path is open, as far as anybody knows.
  var isReachable: Bool { network?.isOpen ?? true }

  /// Whether it may answer what another one cannot for want of a path.
  var isWorthAsking: Bool { isAvailable && isReachable }

  /// Whether it can be asked at the moment, as far as it is up to it.
  var isAvailable: Bool { state.withLock { $0.standing.unavailability(now: .now) } == nil }

  /// Whether it refused, or its quota of a day or longer was spent, at some time in the run.
  var hasRefused: Bool {
    state.withLock { $0.standing.refusal != nil || $0.standing.hasSpentQuota }
  }

  /// Begins to watch its path, and those that could be taken instead.
  func beginWatching() {
    guard let network, !network.hasBegun else { return }
    network.begin()
    for other in others { other.network?.begin() }
  }

  /// Follows the network, and the ledger of the quota, until the task is cancelled.
  func watchNetwork() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.watchLedger() }
      await network?.watch { cause in
        // What was permitted before the ledger was gone is paid for.
        if cause != .sharedUnreachable { client.giveUpAll() }
        sendBack()
      } onChange: {
        // Those who wait for another path may go this one now.
        for other in others { other.network?.lookAgain() }
      }
    }
  }

  private func watchLedger() async {
    guard let ledger, let network else { return }
    for await _ in ledger.outages() { network.noteOutage() }
  }

  /// Has those who wait for the quota look whether there is still something to wait for.
  func sendBack() {
    batchGate.sendBack()
    singleGate.sendBack()
  }

  /// Lets no request out any more; those under way come to their ends, and who waits for anything
  /// else gets a `CancellationError`.
  func stopAsking() {
    for gate in [batchGate, singleGate] { gate.close(.cancelled) }
    network?.close()
    stop.ring()
  }

  /// How long its quota is spent; `nil` where it is not.
  var quotaWait: Duration? { state.withLock { $0.standing.quotaWait(now: .now) } }

  /// The most addresses that one request takes at the moment.
  public var batchLimit: Int { api.limit(of: form) }

  /// The form in which it is asked at the moment.
  public var form: RequestForm { state.withLock { $0.standing.form } }

  /// Requests that the quota allows at the moment; `nil` where there is no window.
  public var remaining: Int? { gate(form).remaining }
}

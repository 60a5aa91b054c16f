public import Addresses
public import Providers
public import Records
import Synchronization
public import Transfer

/// How a remote provider is asked.
public struct AskingRules: Sendable {
  /// The time for one request.
  public var timeout = Duration.seconds(10)
  /// Tries after the first one.
  public var retries = 4
  /// Requests under way at once.
  public var concurrency = 8
  /// Replaces the provider's published quota.
  public var rate: Allowance?
  /// The wait between tries.
  public var backoff = Backoff()

  /// Makes the default rules.
  public init() {}
}

/// Asks one web API within its quota, and again where that may help.
///
/// Every address asked comes back as exactly one record, whatever the provider does.
public final class RemoteProvider: Sendable {
  /// How long after a loss of the network nothing is tried.
  static let lossMemory = Duration.seconds(5)
  /// Faults in a row, of other questions and of the parts of one, after which a batch is not taken
  /// apart any more: then it is not the batch.
  static let faultsOfOthers = 1
  static let faultsOfParts = 7

  struct State {
    var form: RequestForm
    var refusal: Refusal?
    var isFailing = false
    var faultsInARow = 0
    var lossReason = ""
    var lossUntil: ContinuousClock.Instant?
    var needsFreshConnection = false
    var isAsked = false
  }

  let api: any RemoteAPI
  let client: HTTPClient
  let rules: AskingRules
  let budget: RequestBudget
  let report: EventHandler
  let batchGate: QuotaGate
  let singleGate: QuotaGate
  let state: Mutex<State>

  /// Makes a provider that has not been asked yet.
  ///
  /// - Parameters:
  ///   - api: How to ask it and what its answers mean.
  ///   - client: Sends the requests.
  ///   - rules: How often and how fast it is asked.
  ///   - budget: Counts the requests of all providers of a run.
  ///   - report: Told of waits, retries and changes of the provider's state.
  public init(
    _ api: some RemoteAPI,
    client: HTTPClient,
    rules: AskingRules,
    budget: RequestBudget,
    report: @escaping EventHandler
  ) {
    self.api = api
    self.client = client
    self.rules = rules
    self.budget = budget
    self.report = report
    let source = api.source
    func gate(_ form: RequestForm) -> QuotaGate {
      let quota = Quota(
        allowance: rules.rate ?? api.allowance(of: form),
        isFirm: rules.rate != nil || !api.isMirror
      )
      return QuotaGate(quota: quota, concurrency: rules.concurrency) {
        report(.quota(provider: source, wait: $0, remaining: $1))
      }
    }
    batchGate = gate(.batch)
    singleGate = gate(.single)
    state = Mutex(State(form: api.limit(of: .batch) > 0 ? .batch : .single))
  }

  /// The most addresses that one request takes at the moment.
  public var batchLimit: Int { api.limit(of: form) }

  /// The form in which it is asked at the moment.
  public var form: RequestForm { state.withLock { $0.form } }

  /// Why the provider is not asked any more, if that is so.
  public var refusal: String? { state.withLock { $0.refusal?.message } }

  /// Requests that the quota allows at the moment; `nil` where there is no window.
  public var remaining: Int? { gate(form).remaining }

  /// Asks for addresses.
  ///
  /// - Returns: A record for each, in that order: ``Status/ok``, ``Status/unknown``,
  ///   ``Status/failed`` or ``Status/networkLost``, the last three with a message.
  /// - Throws: `CancellationError`, and nothing else.
  public func lookUp(_ addresses: [Address]) async throws -> RecordBlock {
    var assembly = AnswerAssembly(addresses)
    var parts = slices(of: Array(addresses.indices), limit: api.limit(of: form))
    if parts.count == 1 {
      try await ask(parts[0], &assembly)
    } else {
      try await askSingly(&parts, &assembly)
    }
    return assembly.block
  }

  func slices(of positions: [Int], limit: Int) -> [Part] {
    stride(from: 0, to: positions.count, by: max(1, limit)).map { start in
      let end = min(start + max(1, limit), positions.count)
      return Part(positions: Array(positions[start..<end]), limit: rules.retries)
    }
  }

  /// Asks for several parts side by side; the gate bounds how many requests are under way.
  func askSingly(_ parts: inout [Part], _ assembly: inout AnswerAssembly) async throws {
    try await withThrowingTaskGroup(of: (Part, RecordBlock).self) { group in
      for part in parts {
        let addresses = assembly.addresses(of: part)
        group.addTask {
          var inner = AnswerAssembly(addresses)
          let whole = Part(positions: Array(addresses.indices), limit: part.limit)
          try await self.ask(whole, &inner)
          return (part, inner.block)
        }
      }
      for try await (part, block) in group {
        assembly.put(Answers(block: block, missing: []), for: part)
      }
    }
  }
}

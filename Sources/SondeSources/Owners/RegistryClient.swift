import SondeAddresses
import SondeAsking
import SondeProviders
import SondeReachability
import SondeRecords
import SondeStore
import SondeSystem
import SondeTransfer
import Synchronization

/// Asks one registry within its window, and stops if it refuses.
final class RegistryClient: Sendable {
  /// The result of a request.
  enum Exchange {
    case answered(RegistryReading.Content, Response)
    /// Nothing was sent or answered, through no fault of the registry.
    case again(isFresh: Bool = false)
    /// There is no answer, but a retry, which is counted, may succeed.
    case retry(String, isThrottled: Bool)
    case failed(String)
    case networkLost(String)
  }

  /// The outcome of a request.
  private struct Result {
    let verdict: ExchangeVerdict
    let content: RegistryReading.Content
    let response: Response?
  }

  /// The minimum patience with a window.
  private static let shortestPatience = Duration.seconds(5)

  private let registry: Registry
  private let paths: RegistryPaths
  private let rules: AskingRules
  private let gate: QuotaGate
  private let standing = Mutex(ProviderStanding(form: .single))
  private let report: EventHandler

  init(
    _ registry: Registry,
    at places: OwnerPlaces,
    over paths: RegistryPaths,
    _ surroundings: SourceSurroundings
  ) {
    (self.registry, self.paths) = (registry, paths)
    (rules, report) = (surroundings.rules, surroundings.report)
    let account = surroundings.ledger.map { QuotaAccount($0, of: registry, at: places.mirror) }
    let name = registry.name
    var waiting = rules
    // Interactive questions also wait for a window of a second.
    waiting.quotaPatience = max(waiting.quotaPatience, Self.shortestPatience)
    gate = QuotaGate(
      quota: Quota(
        allowance: places.allowance(registry),
        isRolling: true,
        believing: Registry.believableWait
      ),
      ledger: account,
      waiting
    ) { [report] wait, remaining in
      // Most waits last a second.
      guard wait > .seconds(2) else { return }
      report(.registryQuota(registry: name, wait: wait, remaining: remaining))
    }
  }

  /// Makes tasks that wait for the window check their other conditions.
  func sendBack() { gate.sendBack() }

  func stop() { gate.close(.cancelled) }

  /// Sends one request as soon as that is permitted; a fresh one uses a new connection.
  ///
  /// Throws `CancellationError` only.
  func exchange(
    _ url: String,
    _ question: RegistryQuestion,
    isFresh: Bool
  ) async throws -> Exchange {
    if let reason = standing.withLock({ $0.unavailability(now: .now) }) { return .failed(reason) }
    let network = paths.gate(to: url)
    if case .lost(let reason) = try await network?.pass(unless: { false }) {
      return .networkLost(reason)
    }
    let place = gate.enter(turn: question.turn)
    defer { gate.abandon(place) }
    let ticket: Quota.Ticket
    do {
      ticket = try await gate.acquire(place) { network?.isOpen ?? true }
    } catch let denial as PermitMachine.Denial {
      return exchange(after: denial)
    }
    // Read before checking the path, so that a loss in between abandons the request.
    let giveUps = paths.client.giveUps
    guard await question.isWanted(), network?.isOpen ?? true, !Task.isCancelled else {
      await gate.settle(ticket, .notSent)
      try Task.checkCancellation()
      return .again()
    }
    do {
      let result = try await send(url, about: question.address, isFresh: isFresh, after: giveUps)
      if result.verdict.wasSent { paths.countRequest(isThrottled: result.response?.status == 429) }
      let step = judge(result.verdict, isFresh: isFresh, network)
      await question.keep(result.content)
      await gate.settle(ticket, result.verdict.quota)
      if network == nil, result.verdict.path?.isLoss == true {
        return .networkLost(result.verdict.words)
      }
      return exchange(after: step, result)
    } catch {
      paths.countRequest(isThrottled: false)
      await gate.settle(ticket, .lost)
      throw error
    }
  }

  private func exchange(after denial: PermitMachine.Denial) -> Exchange {
    switch denial {
    case .cancelled, .sentBack: return .again()
    case .refused(let refusal): return .failed("refused: \(refusal.message)")
    case .spent(let wait):
      let (message, news) = standing.withLock {
        $0.noteSpentQuota(for: wait, now: .now, wall: .now)
      }
      tell(news)
      return .failed(message)
    case .paused(let wait): return .failed("it wants to be left alone for \(wait.forPerson)")
    }
  }

  private func send(
    _ url: String,
    about address: Address,
    isFresh: Bool,
    after giveUps: Int
  ) async throws -> Result {
    var request = RegistryReading.request(url)
    (request.timeout, request.connectTimeout) = (rules.timeout, rules.timeout)
    request.isFreshConnection = isFresh
    do {
      let response = try await paths.client.send(request, after: giveUps)
      let reading = RegistryReading(response, about: address, time: Timestamp.now.seconds)
      return Result(verdict: reading.verdict, content: reading.content, response: response)
    } catch let error as TransferError {
      return Result(verdict: ExchangeVerdict(error), content: .none, response: nil)
    }
  }

  /// Acts on the result of an exchange, and returns how the question continues.
  private func judge(
    _ verdict: ExchangeVerdict,
    isFresh: Bool,
    _ network: NetworkGate?
  ) -> ProviderStanding.Step {
    var question = ProviderStanding.Question(addresses: 1, form: .single)
    question.isFreshConnection = isFresh
    let (step, news) = standing.withLock {
      $0.take(verdict, of: question, hasAnswer: true, now: .now, wall: .now)
    }
    // First, so that no request is admitted after a refusal.
    switch verdict.meaning {
    case .refused: gate.close(.refused(Refusal(message: verdict.words)))
    case .retry, .throttled: gate.pause(for: verdict.pause)
    case .away: gate.sendBack()
    default: break
    }
    tell(news)
    if let path = verdict.path { network?.take(Finding(path)) }
    return step
  }

  private func exchange(after step: ProviderStanding.Step, _ result: Result) -> Exchange {
    let words = result.verdict.words
    switch step {
    case .done: return result.response.map { .answered(result.content, $0) } ?? .again()
    case .retry(isFree: true): return .again()
    case .again(let isFresh): return .again(isFresh: isFresh)
    case .retry(isFree: false): return .retry(words, isThrottled: result.response?.status == 429)
    case .failed(let message): return .failed(message)
    case .askOnceMore, .singly, .split: return .failed(words)
    }
  }

  /// Stops asking a registry that repeatedly refused without stating a time, since clients that
  /// continue are blocked permanently.
  func giveUp(_ words: String) {
    gate.close(.refused(Refusal(message: words)))
    tell(.refused(words))
  }

  private func tell(_ news: ProviderStanding.News?) {
    switch news {
    case .failing(let message): report(.registry(registry.name, .failing, message: message))
    case .answersAgain: report(.registry(registry.name, .ok, message: "answers again"))
    case .refused(let message): report(.registry(registry.name, .refused, message: message))
    case .takesNoBatches, nil: return
    }
  }
}

import SondeAddresses
import SondeAsking
import SondeProviders
import SondeReachability
public import SondeRecords
import Synchronization

/// Looks up addresses interactively, without waiting for a lost network or a quota.
///
/// One chain of providers serves all look-ups while the server runs. Concurrent look-ups of one
/// address share a request.
public final class LookupDesk: Sendable {
  /// The result of a look-up.
  public struct Answer: Sendable {
    /// The record as a JSON object.
    public let json: [UInt8]

    /// The status: `Status.ok`, `Status.unknown` or `Status.reserved`.
    public let status: Status

    /// The position of the answering provider in the list.
    let rank: Int
  }

  private typealias Question = Task<Result<Answer, DashboardError>, Never>

  private struct Key: Hashable {
    let address: Address
    let zone: [UInt8]
    let isFresh: Bool
  }

  private let chain: ProviderChain
  private let providers: RunProviders
  private let services: DashboardServices
  private let state: DashboardState
  private let hub: DashboardHub
  private let encoder: RecordEncoder
  /// The look-ups of users that ask a provider; `nil` if they are not limited.
  let limit: LookupLimit?
  private let counter = Atomic(0)
  private let asked = Mutex<[Key: Question]>([:])
  /// Whether a full disk has been reported.
  private let isLossTold = Mutex(false)

  /// Creates a desk with empty caches.
  ///
  /// - Throws: Errors in creating the providers.
  public init(
    _ services: DashboardServices,
    _ limits: DashboardLimits = DashboardLimits(),
    state: DashboardState,
    hub: DashboardHub
  ) throws {
    limit = limits.lookups.map { LookupLimit($0.count, within: $0.window) }
    providers = try services.providers(.lookup, nil) { _ in }
    chain = providers.chain
    chain.join(services.turns, of: "", .lookUps)
    (self.services, self.state, self.hub) = (services, state, hub)
    encoder = .ofAnswers(adding: services.sources)
  }

  /// Watches the paths to the providers until the task is cancelled; needed to detect a lost
  /// network.
  public func run() async {
    await chain.watchingNetwork {
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
  }

  /// Looks up an address and stores the result as a user's newest look-up.
  ///
  /// With `isFresh`, the providers are asked even if an answer is cached; the cached one is kept
  /// until there is a new one.
  /// - Throws: ``DashboardError`` if the text is not an address, or there is no answer.
  public func lookUp(
    _ text: String,
    of user: String = "",
    isFresh: Bool = false
  ) async throws(DashboardError) -> Answer {
    let checked = CheckedText(text)
    let address = try checked.found()
    counter.add(1, ordering: .relaxed)
    let key = Key(address: address, zone: checked.zone, isFresh: isFresh)
    let answer = try await answer(to: key, of: user)
    await keep(answer, to: address, of: user)
    hub.publish(DashboardEvent(kind: .lookup, user: user, json: answer.json))
    return answer
  }

  /// Stores an answer; if the disk is full, it is returned anyway and the failure reported once.
  private func keep(_ answer: Answer, to address: Address, of user: String) async {
    var failure: StateError?
    do throws(StateError) {
      try await state.keep(address, of: user, answer.json, rank: answer.rank)
    } catch {
      failure = error
    }
    let isNews = isLossTold.withLock { isTold in
      defer { isTold = failure != nil }
      return !isTold
    }
    if let failure, isNews { services.warn("look-ups are not kept: \(failure)") }
  }

  /// Looks up an address in the background, without storing or publishing the result.
  func ask(_ text: String, isFresh: Bool) async throws(DashboardError) -> Answer {
    let checked = CheckedText(text)
    let key = Key(address: try checked.found(), zone: checked.zone, isFresh: isFresh)
    return try await answer(to: key)
  }

  package var count: Int { counter.load(ordering: .relaxed) }
  var isAtWork: Bool { asked.withLock { !$0.isEmpty } }

  /// The requests left in the first web API's quota; `nil` without a quota.
  package var remaining: Int? { chain.remaining }

  /// Finds and looks up this machine's public address.
  public func lookUpMe(of user: String = "") async throws(DashboardError) -> Answer {
    let outcome: PublicAddress.Outcome
    do {
      outcome = try await services.publicAddress().find()
    } catch {
      throw DashboardError(.provider, "\(error)")
    }
    switch outcome {
    case .found(let address): return try await lookUp("\(address)", of: user)
    case .failed(let words), .refused(let words): throw DashboardError(.provider, words)
    case .networkLost(let words): throw networkLost(words)
    }
  }
}

// MARK: - Requests

extension LookupDesk {
  /// The answer; for a user, within the limit.
  private func answer(to key: Key, of user: String? = nil) async throws(DashboardError) -> Answer {
    if !key.isFresh, let known = await chain.known(to: key.address, zone: key.zone) {
      return answer(of: known)
    }
    if let user, key.address.specialPurpose == nil, let wait = limit?.take(of: user) {
      var error = DashboardError(.rate, "too many look-ups (--limit-lookups)")
      error.retryAfter = wait
      throw error
    }
    let question = asked.withLock { asked in
      if let question = asked[key] { return question }
      let question = Question { await self.ask(key) }
      asked[key] = question
      return question
    }
    return try await question.value.get()
  }

  private func ask(_ key: Key) async -> Result<Answer, DashboardError> {
    defer { asked.withLock { _ = $0.removeValue(forKey: key) } }
    do {
      return judge(try await chain.answer(to: key.address, zone: key.zone, isFresh: key.isFresh))
    } catch {
      return .failure(DashboardError(.provider, "the server is ending"))
    }
  }

  private func judge(_ block: RecordBlock) -> Result<Answer, DashboardError> {
    guard let record = block.records.first else {
      return .failure(DashboardError(.provider, "there is no answer"))
    }
    let message = block.text(.message, of: record) ?? record.status.name
    switch record.status {
    case .ok, .unknown, .reserved: return .success(answer(of: block))
    case .networkLost: return .failure(networkLost(message))
    case .failed, .invalid:
      guard let wait = chain.quotaWait else { return .failure(DashboardError(.provider, message)) }
      var error = DashboardError(.quota, message)
      error.retryAfter = wait
      return .failure(error)
    }
  }

  private func networkLost(_ message: String) -> DashboardError {
    var error = DashboardError(.networkLost, message)
    error.cause = chain.networkStatus?.state?.verdict.cause?.rawValue ?? "unreachable"
    return error
  }

  private func answer(of block: RecordBlock) -> Answer {
    guard let record = block.records.first else {
      return Answer(json: [], status: .failed, rank: 0)
    }
    return Answer(
      json: encoder.object(record, of: block),
      status: record.status,
      rank: chain.rank(of: record.source)
    )
  }
}

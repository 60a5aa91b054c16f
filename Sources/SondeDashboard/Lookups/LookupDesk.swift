import SondeAddresses
import SondeAsking
import SondeProviders
import SondeReachability
public import SondeRecords
import Synchronization

/// Looks addresses up for people, who wait for nothing: neither for a lost network nor for a quota.
///
/// One chain of providers answers all of them, as long as the server runs. Questions for one address
/// at the same time are one.
public final class LookupDesk: Sendable {
  /// What came of a look-up.
  public struct Answer: Sendable {
    /// The record as a JSON object.
    public let json: [UInt8]

    /// How it ended: `Status.ok`, `Status.unknown` or
    /// `Status.reserved`.
    public let status: Status

    /// The place of who answered in the list of providers.
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
  private let counter = Atomic(0)
  private let asked = Mutex<[Key: Question]>([:])
  /// Whether it has been told that the disk takes no look-up.
  private let isLossTold = Mutex(false)

  /// Makes a desk that has asked nobody.
  ///
  /// - Parameters:
  ///   - services: Who is asked.
  ///   - state: Where look-ups are kept.
  ///   - hub: Where they are told.
  /// - Throws: What making the providers throws.
  public init(_ services: DashboardServices, state: DashboardState, hub: DashboardHub) throws {
    providers = try services.providers(.lookup, nil) { _ in }
    chain = providers.chain
    (self.services, self.state, self.hub) = (services, state, hub)
    let unwanted = Set(Field.places + Field.traffic)
    encoder = RecordEncoder(
      format: .ndjson,
      fields: Field.allCases.filter { !unwanted.contains($0) }
        + services.sources.flatMap(\.columns).map(Field.added),
      sources: Provider.sourceNames,
      added: services.sources
    )
  }

  /// Watches the paths to the providers until the task is cancelled; without it, nobody notices that
  /// the network is lost.
  public func run() async {
    await chain.watchingNetwork {
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
  }

  /// What a text says, as a field for one address takes it.
  ///
  /// - Parameter text: The text; white space around it does not count.
  /// - Returns: What it is.
  public static func check(_ text: String) -> CheckedText { CheckedText(text) }

  /// Looks an address up, and keeps that as the newest look-up of a user.
  ///
  /// - Parameters:
  ///   - text: The address, in any spelling.
  ///   - user: Who asks.
  ///   - isFresh: Whether the providers are asked whatever is known; what is known stays until there
  ///     is another answer.
  /// - Returns: The answer.
  /// - Throws: ``DashboardError``: the text is no address, or why there is no answer.
  public func lookUp(
    _ text: String,
    of user: String = "",
    isFresh: Bool = false
  ) async throws(DashboardError) -> Answer {
    let checked = CheckedText(text)
    guard let address = checked.address else {
      throw DashboardError(.invalidAddress, checked.message ?? "is empty")
    }
    counter.add(1, ordering: .relaxed)
    let answer = try await answer(to: Key(address: address, zone: checked.zone, isFresh: isFresh))
    await keep(answer, to: address, of: user)
    hub.publish(DashboardEvent(kind: .lookup, user: user, json: answer.json))
    return answer
  }

  /// Keeps an answer; where the disk does not take it, it is better than none, and that is told once.
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

  /// Asks for an address that nobody waits for: it is neither kept as a look-up nor told.
  func ask(_ text: String, isFresh: Bool) async throws(DashboardError) -> Answer {
    let checked = CheckedText(text)
    guard let address = checked.address else {
      throw DashboardError(.invalidAddress, checked.message ?? "is empty")
    }
    return try await answer(to: Key(address: address, zone: checked.zone, isFresh: isFresh))
  }

  /// How many look-ups there were since the start.
  package var count: Int { counter.load(ordering: .relaxed) }

  /// Whether somebody waits for an answer.
  var isAtWork: Bool { asked.withLock { !$0.isEmpty } }

  /// Requests that the first web API's quota allows at the moment; `nil` without one.
  package var remaining: Int? { chain.remaining }

  /// Finds this machine's public address, and looks it up.
  ///
  /// - Parameter user: Who asks.
  /// - Returns: The answer.
  /// - Throws: ``DashboardError``.
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

// MARK: - Asking

extension LookupDesk {
  private func answer(to key: Key) async throws(DashboardError) -> Answer {
    if !key.isFresh, let known = await chain.known(to: key.address, zone: key.zone) {
      return answer(of: known)
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
      return judge(
        try await chain.answer(to: key.address, zone: key.zone, isFresh: key.isFresh)
      )
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
    var json: [UInt8] = []
    encoder.append(record, bytes: block.bytes.span, to: &json)
    // Without the line feed.
    json.removeLast()
    return Answer(json: json, status: record.status, rank: chain.rank(of: record.source))
  }
}

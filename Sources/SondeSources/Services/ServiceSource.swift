import SondeAddresses
import SondeAsking
import SondeProviders
import SondeReachability
import SondeRecords
import SondeStore
import Synchronization

/// A web service as a source of columns, asked about each address within its quota.
final class ServiceSource: AwaitedSource {
  /// The result for an address.
  fileprivate enum Outcome: Sendable {
    case answered(ServiceReading.Answer)
    case failed
    case networkLost
  }

  private typealias Waiter = CheckedContinuation<Outcome, any Error>

  private struct State {
    var desk: ServiceDesk<Waiter>
    /// The answers of this run, until they are too old.
    var recent: [Address: (answer: ServiceReading.Answer, until: ContinuousClock.Instant)] = [:]
    /// Addresses that are asked about again, whatever is known.
    var renewed: Set<Address> = []
    var hasAsked = false
  }

  let columns: [AddedColumn]
  private let service: WebService
  private let access: ServiceAccess
  private let client: ServiceClient<ServiceReading.Answer?>
  private let paths: SourcePaths
  private let kept: KeptAnswers
  private let report: EventHandler
  private let state: Mutex<State>

  /// Creates a source that has not asked yet; throws the errors of creating a client.
  init(_ service: WebService, by access: ServiceAccess, _ surroundings: SourceSurroundings) throws {
    (self.service, self.access, columns) = (service, access, service.columns)
    paths = try SourcePaths(surroundings)
    report = surroundings.report
    kept = KeptAnswers(of: service, mirror: access.mirror, in: surroundings.memory)
    let account = surroundings.ledger.map {
      QuotaAccount($0, of: service, at: access.mirror, key: access.key)
    }
    let identity = ServiceIdentity(
      name: service.name,
      quota: service.quota(withKey: access.key != nil),
      account: account
    )
    client = ServiceClient(identity, over: paths, surroundings)
    state = Mutex(State(desk: ServiceDesk(width: surroundings.rules.concurrency)))
  }

  /// Whether it is asked about an address.
  func wants(_ address: Address) -> Bool { service.isAsked(about: address) }

  /// So many that a record waits for others less than a tenth of a second.
  var batchSize: Int {
    let allowance = service.allowance(withKey: access.key != nil)
    return max(1, Int(Double(allowance.requests) / (allowance.period / .seconds(1)) / 10))
  }

  /// Asks about distinct addresses; a fresh question ignores kept answers.
  func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues {
    // Immediately, so that the earlier batch is asked about first.
    let numbers = state.withLock { state in addresses.map { _ in state.desk.newNumber() } }
    var known: [Address: Outcome] = [:]
    if !isFresh {
      for (address, answer) in await recalled(addresses) { known[address] = .answered(answer) }
    }
    let open = zip(addresses, numbers).filter { known[$0.0] == nil }
    try await withThrowingTaskGroup(of: (Address, Outcome).self) { group in
      for (address, number) in open {
        group.addImmediateTask {
          (address, try await self.outcome(for: address, number, isFresh: isFresh))
        }
      }
      for try await (address, outcome) in group { known[address] = outcome }
    }
    var values = AddedValues()
    for address in addresses { append(known[address] ?? .failed, to: &values) }
    return values
  }

  private func append(_ outcome: Outcome, to values: inout AddedValues) {
    if case .answered(.found(let texts)) = outcome {
      for (column, texts) in zip(columns, texts) {
        switch column.form {
        case .list, .numbers: values.append(list: texts)
        case .text, .number, .flag, .status: values.append(text: texts.first ?? "")
        }
      }
    } else {
      values.appendNothing(columns.count - 1)
    }
    values.append(status: AddedStatus(outcome))
  }

  /// The answers of this run and of earlier ones.
  private func recalled(_ addresses: [Address]) async -> [Address: ServiceReading.Answer] {
    var known: [Address: ServiceReading.Answer] = [:]
    state.withLock { state in
      for address in addresses {
        guard let recent = state.recent[address] else { continue }
        if .now < recent.until {
          known[address] = recent.answer
        } else {
          state.recent[address] = nil
        }
      }
    }
    let others = addresses.filter { known[$0] == nil }
    return await kept.answers(about: others).merging(known) { $1 }
  }

  // MARK: - Asking

  /// Waits for the outcome of a question, which is shared with others about the same address.
  private func outcome(
    for address: Address,
    _ number: UInt64,
    isFresh: Bool
  ) async throws -> Outcome {
    if isFresh { state.withLock { _ = $0.renewed.insert(address) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let (isEntered, hired) = state.withLock { state in
          (state.desk.enter(address, number, waiter), state.desk.hire())
        }
        guard isEntered else { return waiter.resume(throwing: CancellationError()) }
        if Task.isCancelled { leave(address, number) }
        // Immediately, so that the earlier question has the earlier place in the queue.
        for _ in 0..<hired { Task.immediate { await work() } }
      }
    } onCancel: {
      leave(address, number)
    }
  }

  private func leave(_ address: Address, _ number: UInt64) {
    let waiter = state.withLock { $0.desk.leave(address, number) }
    waiter?.resume(throwing: CancellationError())
  }

  /// Asks about one address after the other, until none is left.
  private func work() async {
    while let (address, turn) = state.withLock({ $0.desk.next() }) {
      let result = await ask(about: address, turn)
      let waiters = state.withLock { state in
        state.renewed.remove(address)
        return state.desk.finish(address)
      }
      for waiter in waiters { waiter.resume(with: result) }
    }
  }

  private func ask(about address: Address, _ turn: UInt64) async -> Result<Outcome, any Error> {
    do {
      switch try await client.answer(to: question(about: address, turn)) {
      case .answered(let answer?, _): return .success(.answered(answer))
      case .answered(nil, _), .failed: return .success(.failed)
      case .networkLost: return .success(.networkLost)
      case .unwanted:
        let known = await recalled([address])[address]
        return known.map { .success(.answered($0)) } ?? .failure(CancellationError())
      }
    } catch {
      return .failure(error)
    }
  }

  private func question(
    about address: Address,
    _ turn: UInt64
  ) -> ServiceQuestion<ServiceReading.Answer?> {
    ServiceQuestion(
      request: service.request(about: address, mirror: access.mirror, key: access.key),
      turn: turn,
      read: { [service, hasKey = access.key != nil] response, time in
        let reading = ServiceReading(
          response,
          from: service,
          withKey: hasKey,
          about: address,
          time: time
        )
        return (reading.answer, reading.verdict)
      },
      isWanted: {
        let (isWanted, isRenewed) = self.state.withLock { state in
          (state.desk.isWanted(address), state.renewed.contains(address))
        }
        guard isWanted else { return false }
        // Another process may have asked meanwhile.
        if !isRenewed, await self.recalled([address])[address] != nil { return false }
        self.announce()
        return true
      },
      keep: { answer in if let answer { await self.keep(answer, about: address) } }
    )
  }

  private func keep(_ answer: ServiceReading.Answer, about address: Address) async {
    if service.lifetime > .zero {
      state.withLock { $0.recent[address] = (answer, .now + service.lifetime) }
    }
    await kept.keep(answer, about: address)
  }

  /// Says once who learns the addresses.
  private func announce() {
    let isFirst = state.withLock { state in
      defer { state.hasAsked = true }
      return !state.hasAsked
    }
    if isFirst { report(.disclosure(source: service.name, host: service.host)) }
  }

  // MARK: - The network

  func watch() async { await paths.watch { [client] in client.sendBack() } }

  func stopAsking() {
    let waiters = state.withLock { $0.desk.stop() }
    for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    client.stop()
    paths.close()
  }

  /// The state of the network on the path to it; `nil` before the first question.
  var networkStatus: NetworkStatus? { paths.status }

  var hasRefused: Bool { client.hasRefused }
}

extension AddedStatus {
  fileprivate init(_ outcome: ServiceSource.Outcome) {
    self =
      switch outcome {
      case .answered(.found): .named("ok")
      case .answered(.unknown): .named("unknown")
      case .failed: .failed
      case .networkLost: .networkLost
      }
  }
}

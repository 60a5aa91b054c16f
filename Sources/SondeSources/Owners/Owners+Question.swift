import SondeAddresses
import SondeAsking
import SondeProviders
import SondeSystem
import SondeTables
import Synchronization

/// A question to a registry about an address.
struct RegistryQuestion: Sendable {
  let address: Address
  /// The number of the question; earlier ones are served first.
  let turn: UInt64
  /// Whether it is still needed, checked directly before sending.
  let isWanted: @Sendable () async -> Bool
  /// Saves the answer before another question is sent, so that none is lost.
  let keep: @Sendable (RegistryReading.Content) async -> Void
}

extension Owners {
  /// Sends the questions of a registry's lanes one by one, until there are none.
  ///
  /// Several workers use up the window, however long an answer takes.
  func work(for registry: Registry, as number: UInt64) async {
    while let question = change({ $0.next(for: registry) }) {
      let outcome = (try? await outcome(of: question)) ?? .cancelled
      change { $0.take(outcome, of: question) }
    }
    state.withLock { $0.workers[number] = nil }
  }

  /// Asks the registry of an address; throws `CancellationError` only.
  private func outcome(of question: OwnerLanes.Question) async throws -> OwnerLanes.Outcome {
    let start = question.route ?? directories.route(to: question.address, mirror: places.mirror)
    guard var route = start else { return .failed(.failed) }
    let (address, registry) = (question.address, route.registry)
    let client = client(of: registry)
    var (failures, isFresh) = (0, false)
    while true {
      let exchange = try await client.exchange(
        route.requestURL,
        registryQuestion(question, to: registry),
        isFresh: isFresh
      )
      isFresh = false
      switch exchange {
      case .answered(.redirect, let response):
        if let reason = route.follow(response) { return .failed(failed(reason, registry)) }
        // A worker of one registry does not wait for the window of another.
        if route.registry != registry { return .moved(route) }
      case .answered(.registration, _), .answered(.nothing, _):
        return known(address) == nil ? .failed(.failed) : .answered
      case .answered(.misleading(let reason), _): return .failed(failed(reason, registry))
      case .answered(.none, _), .failed: return .failed(.failed)
      case .networkLost: return .failed(.networkLost)
      case .again(let wantsFresh):
        if known(address) != nil { return .answered }
        guard isWanted(question) else { return .cancelled }
        isFresh = wantsFresh
      case .retry(let words, let isThrottled):
        failures += 1
        guard failures <= surroundings.rules.retries else {
          if isThrottled { client.giveUp(words) }
          return .failed(.failed)
        }
        try await pause(failures, words, registry)
      }
    }
  }

  private func isWanted(_ question: OwnerLanes.Question) -> Bool {
    state.withLock { $0.lanes.isWanted(question) }
  }

  private func registryQuestion(
    _ question: OwnerLanes.Question,
    to registry: Registry
  ) -> RegistryQuestion {
    let address = question.address
    return RegistryQuestion(address: address, turn: question.turn) {
      await self.recall([self.reuse.block(of: address)])
      return self.known(address) == nil && self.isWanted(question)
    } keep: { content in
      switch content {
      case .registration(let registration):
        await self.note(Owner(outcome: .found(registration), registry: registry), of: address)
      case .nothing: await self.note(Owner(outcome: .unknown, registry: registry), of: address)
      case .redirect, .misleading, .none: return
      }
    }
  }

  /// Records an answer; returns when it is on disk.
  private func note(_ owner: Owner, of address: Address) async {
    let answer = KnownOwners.Answer(address: address, owner: owner)
    let others = state.withLock { state in
      state.lanes.known.replace(answer)
      return state.lanes.known.answers(in: reuse.block(of: address))
    }
    await kept.keep(answer, beside: others)
  }

  /// Returns the result without an answer; the reason is reported once per registry.
  private func failed(_ reason: String, _ registry: Registry) -> Match {
    let isNews = state.withLock { $0.told.insert("\(registry.name) \(reason)").inserted }
    if isNews {
      surroundings.report(.registry(registry.name, .failing, message: reason))
    }
    return .failed
  }

  /// Waits before a retry, and reports it.
  private func pause(_ failures: Int, _ words: String, _ registry: Registry) async throws {
    var generator = SystemRandomNumberGenerator()
    let delay = surroundings.rules.backoff.delay(attempt: failures, using: &generator)
    surroundings.report(
      .retry(provider: registry.name, attempt: failures, wait: delay, message: words)
    )
    try await stop.wait(after: 0, until: .now + delay)
    if stop.round > 0 { throw CancellationError() }
  }

  private func client(of registry: Registry) -> RegistryClient {
    state.withLock { state in
      if let client = state.clients[registry] { return client }
      let client = RegistryClient(registry, at: places, over: paths, surroundings)
      if state.isStopped { client.stop() }
      state.clients[registry] = client
      return client
    }
  }
}

extension DirectoryKeeper {
  /// The registry to ask about an address, according to the current files.
  func place(of address: Address, mirror: BaseURL?) -> OwnerLanes.Place {
    switch latest(for: address) {
    case .failed, nil: return .closed(.failed)
    case .networkLost: return .closed(.networkLost)
    case .known(let directory):
      guard let service = directory.url(for: address) else { return .nowhere }
      let route = RegistryRoute(to: service, about: address, mirror: mirror)
      return route.map { .registry($0.registry) } ?? .closed(.failed)
    }
  }

  /// The start of the route to an answer about an address; `nil` if there is none.
  func route(to address: Address, mirror: BaseURL?) -> RegistryRoute? {
    guard case .known(let directory) = latest(for: address) else { return nil }
    return directory.url(for: address)
      .flatMap { RegistryRoute(to: $0, about: address, mirror: mirror) }
  }
}

extension KnownOwners.Match {
  static let failed = Self(owner: Owner(outcome: .failed, registry: nil), isInferred: false)
  static let networkLost = Self(
    owner: Owner(outcome: .networkLost, registry: nil),
    isInferred: false
  )

  /// The result without a registry to ask.
  static let unknown = Self(owner: Owner(outcome: .unknown, registry: nil), isInferred: false)
}

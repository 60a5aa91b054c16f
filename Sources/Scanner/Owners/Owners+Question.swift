import Addresses
import Providers
import Synchronization
import Tables

/// What a registry is asked about an address.
struct RegistryQuestion: Sendable {
  let address: Address
  /// The number of the question: the earlier one goes first.
  let turn: UInt64
  /// Whether it still stands, asked right before it is sent.
  let isWanted: @Sendable () async -> Bool
  /// Takes the answer, before another question may go out: what was paid for is never lost.
  let keep: @Sendable (RegistryReading.Content) async -> Void
}

extension Owners {
  /// Asks the registry of an address, and those that it sends to.
  func ask(_ address: Address, turn: UInt64) async throws -> Match {
    switch try await directories.directory(for: address) {
    case .failed: return .failed
    case .networkLost: return .networkLost
    case .known(let directory):
      // Not even IANA knows of anybody.
      guard let service = directory.url(for: address) else { return .unknown }
      guard let route = RegistryRoute(to: service, about: address, mirror: places.mirror) else {
        return .failed
      }
      return try await ask(address, along: route, turn: turn)
    }
  }

  private func ask(
    _ address: Address,
    along start: RegistryRoute,
    turn: UInt64
  ) async throws -> Match {
    var (route, failures, isFresh) = (start, 0, false)
    while true {
      let registry = route.registry
      let client = client(of: registry)
      let exchange = try await client.exchange(
        route.requestURL,
        question(about: address, to: registry, turn: turn),
        isFresh: isFresh
      )
      isFresh = false
      switch exchange {
      case .answered(.redirect, let response):
        if let reason = route.follow(response) { return failed(reason, registry) }
      case .answered(.registration, _), .answered(.nothing, _):
        return known(address) ?? .failed
      case .answered(.misleading(let reason), _): return failed(reason, registry)
      case .answered(.none, _), .failed: return .failed
      case .networkLost: return .networkLost
      case .again(let wantsFresh):
        if let match = known(address) { return match }
        isFresh = wantsFresh
      case .retry(let words, let isThrottled):
        failures += 1
        guard failures <= surroundings.rules.retries else {
          if isThrottled { client.giveUp(words) }
          return .failed
        }
        try await pause(failures, words, registry)
      }
    }
  }

  private func question(
    about address: Address,
    to registry: Registry,
    turn: UInt64
  ) -> RegistryQuestion {
    RegistryQuestion(address: address, turn: turn) {
      await self.recall([self.reuse.block(of: address)])
      return self.known(address) == nil
    } keep: { content in
      switch content {
      case .registration(let registration):
        await self.note(Owner(outcome: .found(registration), registry: registry), of: address)
      case .nothing: await self.note(Owner(outcome: .unknown, registry: registry), of: address)
      case .redirect, .misleading, .none: return
      }
    }
  }

  /// Takes an answer; returns when it is on the disk.
  private func note(_ owner: Owner, of address: Address) async {
    let answer = KnownOwners.Answer(address: address, owner: owner)
    let others = state.withLock { state in
      state.known.note(answer)
      return state.known.answers(in: reuse.block(of: address))
    }
    await kept.keep(answer, beside: others)
  }

  /// Notes why there is no answer, which is told once for each registry.
  private func failed(_ reason: String, _ registry: Registry) -> Match {
    let isNews = state.withLock { $0.told.insert("\(registry.name) \(reason)").inserted }
    if isNews {
      surroundings.report(.registry(registry.name, .failing, message: reason))
    }
    return .failed
  }

  /// Waits before another try, and tells of it.
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

extension KnownOwners.Match {
  /// Nobody answered.
  static let failed = Self(owner: Owner(outcome: .failed, registry: nil), isInferred: false)

  /// The same, since the network was lost.
  static let networkLost = Self(
    owner: Owner(outcome: .networkLost, registry: nil),
    isInferred: false
  )

  /// There is no registry to ask.
  fileprivate static let unknown = Self(
    owner: Owner(outcome: .unknown, registry: nil),
    isInferred: false
  )
}

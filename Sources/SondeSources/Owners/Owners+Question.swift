import SondeAddresses
import SondeAsking
import SondeProviders
import SondeSystem
import SondeTables
import Synchronization

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
    while true {
      let asked = registryQuestion(question, route.requestURL, to: registry)
      switch try await client.answer(to: asked) {
      case .answered(.redirect, let response):
        if let reason = route.follow(response) { return .failed(failed(reason, registry)) }
        // A worker of one registry does not wait for the window of another.
        if route.registry != registry { return .moved(route) }
      case .answered(.registration, _), .answered(.nothing, _):
        return known(address) == nil ? .failed(.failed) : .answered
      case .answered(.misleading(let reason), _): return .failed(failed(reason, registry))
      case .answered(.none, _), .failed: return .failed(.failed)
      case .networkLost: return .failed(.networkLost)
      case .unwanted: return known(address) == nil ? .cancelled : .answered
      }
    }
  }

  private func isWanted(_ question: OwnerLanes.Question) -> Bool {
    state.withLock { $0.lanes.isWanted(question) }
  }

  private func registryQuestion(
    _ question: OwnerLanes.Question,
    _ url: String,
    to registry: Registry
  ) -> ServiceQuestion<RegistryReading.Content> {
    let address = question.address
    return ServiceQuestion(
      request: RegistryReading.request(url),
      turn: question.turn,
      read: { response, time in
        let reading = RegistryReading(response, about: address, time: time)
        return (reading.content, reading.verdict)
      },
      isWanted: {
        await self.recall([self.reuse.block(of: address)])
        return self.known(address) == nil && self.isWanted(question)
      },
      keep: { content in
        switch content {
        case .registration(let registration):
          await self.note(Owner(outcome: .found(registration), registry: registry), of: address)
        case .nothing: await self.note(Owner(outcome: .unknown, registry: registry), of: address)
        case .redirect, .misleading, .none: return
        }
      }
    )
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

  private func client(of registry: Registry) -> RegistryClient {
    state.withLock { state in
      if let client = state.clients[registry] { return client }
      let ledger = surroundings.ledger
      let service = ServiceIdentity(
        name: registry.name,
        quota: Quota(
          allowance: places.allowance(registry),
          isRolling: true,
          believing: Registry.believableWait
        ),
        account: ledger.map { QuotaAccount($0, of: registry, at: places.mirror) },
        kind: .registry
      )
      let client = RegistryClient(service, over: paths, surroundings)
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

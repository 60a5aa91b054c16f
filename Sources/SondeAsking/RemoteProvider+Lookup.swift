import SondeAddresses
import SondeProviders
import SondeRecords
import SondeStore
import SondeSystem
import Synchronization

extension RemoteProvider {
  /// Asks for addresses, except for those in the cache unless `isFresh`.
  ///
  /// Returns a record for each, in order: ``Status/ok``, ``Status/unknown``, ``Status/failed`` or
  /// ``Status/networkLost``, the last three with a message. Throws `CancellationError` only.
  func lookUp(
    _ addresses: [Address],
    newerThan view: StoreView? = nil,
    isFresh: Bool = false
  ) async throws -> RecordBlock {
    let turn = state.withLock { state in
      state.lastTurn += 1
      return state.lastTurn
    }
    var lookup = Lookup(addresses, retries: rules.retries, turn: turn, unknownIn: view)
    lookup.isFresh = isFresh
    guard var whole = lookup.next() else { return lookup.block }
    if view == nil, !isFresh, let known = await cache?.lookUp(addresses) {
      lookup.put(known, for: &whole)
      lookup.view = known.view
    }
    let requests = whole.split(api.limit(of: form))
    if requests.count == 1 {
      lookup.retry(requests[0])
      try await settle(&lookup)
    } else {
      try await settle(requests, of: &lookup)
    }
    return lookup.block
  }

  /// Sends requests until every address is settled.
  private func settle(_ lookup: inout Lookup) async throws {
    while var request = lookup.next() {
      let attempt = try await attempt(
        request,
        turn: lookup.turn,
        newerThan: lookup.view,
        isFresh: lookup.isFresh
      )
      switch attempt {
      case .answers(let answers):
        lookup.put(answers, for: request)
        guard !answers.missing.isEmpty else { continue }
        request.keep(answers.missing)
        try await retry(request, answers.reason, &lookup)
      case .known(let known):
        lookup.put(known, for: &request)
        lookup.view = known.view
        if !request.positions.isEmpty { lookup.retry(request) }
      case .again: lookup.retry(request)
      case .networkLost(let message):
        if let stale = await cache?.stale(request.addresses) { lookup.put(stale, for: &request) }
        lookup.settle(request, as: .networkLost, message)
      case .unanswered(let step, let words, let wait):
        try await take(step, for: request, words, wait, &lookup)
      }
    }
  }

  /// Sends several requests concurrently, as far as the gate permits.
  private func settle(_ requests: [PendingRequest], of lookup: inout Lookup) async throws {
    let (turn, view, isFresh) = (lookup.turn, lookup.view, lookup.isFresh)
    try await withThrowingTaskGroup(of: (PendingRequest, RecordBlock).self) { group in
      for request in requests {
        // Enters the queue immediately, so that requests are sent in order.
        group.addImmediateTask {
          var own = Lookup(request.addresses, retries: request.limit, turn: turn, unknownIn: view)
          own.isFresh = isFresh
          try await self.settle(&own)
          return (request, own.block)
        }
      }
      for try await (request, block) in group { lookup.put(Answers(block: block), for: request) }
    }
  }

  /// Handles a request that got no answer: retries, splits or fails it.
  private func take(
    _ step: ProviderStanding.Step,
    for request: PendingRequest,
    _ words: String,
    _ wait: Duration,
    _ lookup: inout Lookup
  ) async throws {
    var request = request
    switch step {
    case .done, .retry(isFree: true): lookup.retry(request)
    case .again(let isFresh):
      request.needsFreshConnection = isFresh
      lookup.retry(request)
    case .retry(isFree: false): try await retry(request, words, wait: wait, &lookup)
    case .askOnceMore:
      request.missedBatches = true
      try await pause(attempt: 1, words)
      lookup.retry(request)
    case .singly:
      var singles = request
      singles.limit = rules.retries
      try await settle(singles.split(1), of: &lookup)
    case .split:
      let halves = request.halves(limit: request.limit)
      lookup.retry(halves[0], halves[1])
    case .failed(let message):
      lookup.settle(request, as: .failed, "\(api.source.name): \(message)")
    }
  }

  /// Retries, splits or fails a request.
  private func retry(
    _ request: PendingRequest,
    _ message: String,
    wait: Duration = .zero,
    _ lookup: inout Lookup
  ) async throws {
    var request = request
    request.failures += 1
    lookup.countFault()
    if request.failures <= request.limit {
      // The gate waits for any longer time that the provider requires.
      try await pause(attempt: request.failures, wait: wait, message)
      lookup.retry(request)
    } else if request.positions.count > 1, isWorthTakingApart(after: lookup.faults) {
      lookup.append(request.halves(limit: min(1, request.limit)))
    } else {
      let tries = request.failures == 1 ? "" : " (\(request.failures) attempts)"
      lookup.settle(request, as: .failed, "\(api.source.name): \(message)\(tries)")
    }
  }

  /// Waits before a retry, and reports it.
  private func pause(attempt: Int, wait: Duration = .zero, _ message: String) async throws {
    var generator = SystemRandomNumberGenerator()
    let delay = rules.backoff.delay(attempt: attempt, using: &generator)
    report(
      .retry(provider: api.source.name, attempt: attempt, wait: max(wait, delay), message: message)
    )
    try await stop.wait(after: 0, until: .now + delay)
    if stop.round > 0 { throw CancellationError() }
  }

  /// Whether the failures are due to the batch, not to a provider that is down.
  ///
  /// A provider that is down also fails other questions, and each part of this one.
  private func isWorthTakingApart(after faults: Int) -> Bool {
    let inARow = state.withLock { $0.standing.faults }
    let triesOfPart = min(1, rules.retries) + 1
    return inARow - faults <= Self.faultsOfOthers
      && inARow <= rules.retries + 1 + Self.failedParts * triesOfPart
  }
}

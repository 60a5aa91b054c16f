import Providers
import Records
import Store
import Synchronization

/// A question on its way: the parts that are still open, and what is settled.
private struct Question {
  var open: [Part]
  var assembly: AnswerAssembly
  let turn: UInt64
  /// What was in the cache when it was looked up last.
  var view: StoreView?
  /// Faults that this question has met.
  var faults = 0
}

extension RemoteProvider {
  /// Asks for a part until every address in it is settled.
  func ask(
    _ part: Part,
    _ assembly: inout AnswerAssembly,
    turn: UInt64,
    newerThan view: StoreView?
  ) async throws {
    var question = Question(open: [part], assembly: assembly, turn: turn, view: view)
    while !question.open.isEmpty {
      var part = question.open.removeFirst()
      let addresses = question.assembly.addresses(of: part)
      switch try await attempt(part, addresses, turn: turn, newerThan: question.view) {
      case .answers(let answers):
        question.assembly.put(answers, for: part)
        guard !answers.missing.isEmpty else { continue }
        part.positions = answers.missing.map { part.positions[$0] }
        try await retry(part, answers.reason, &question)
      case .known(let known):
        question.assembly.put(known, for: &part)
        question.view = known.view
        if !part.positions.isEmpty { question.open.insert(part, at: 0) }
      case .again: question.open.insert(part, at: 0)
      case .networkLost(let message):
        if let stale = await cache?.stale(addresses) { question.assembly.put(stale, for: &part) }
        question.assembly.settle(part, as: .networkLost, message)
      case .unanswered(let step, let words, let wait):
        try await go(on: step, with: part, words, wait, &question)
      }
    }
    assembly = question.assembly
  }

  /// Goes on with a part to which an exchange brought no answer.
  private func go(
    on step: ProviderStanding.Step,
    with part: Part,
    _ words: String,
    _ wait: Duration,
    _ question: inout Question
  ) async throws {
    var part = part
    switch step {
    case .done, .retry(isFree: true): question.open.insert(part, at: 0)
    case .again(let isFresh):
      part.needsFreshConnection = isFresh
      question.open.insert(part, at: 0)
    case .retry(isFree: false): try await retry(part, words, wait: wait, &question)
    case .askOnceMore:
      part.missedBatches = true
      try await pause(attempt: 1, words)
      question.open.insert(part, at: 0)
    case .singly:
      var singles = slices(of: part.positions, limit: 1)
      let view = question.view
      try await askSingly(&singles, &question.assembly, turn: question.turn, newerThan: view)
    case .split: question.open.insert(contentsOf: part.halves(limit: part.limit), at: 0)
    case .failed(let message):
      question.assembly.settle(part, as: .failed, "\(api.source.name): \(message)")
    }
  }

  /// Puts a part back for another try, takes it apart, or gives it up.
  private func retry(
    _ part: Part,
    _ message: String,
    wait: Duration = .zero,
    _ question: inout Question
  ) async throws {
    var part = part
    part.failures += 1
    question.faults += 1
    if part.failures <= part.limit {
      // What the provider wants beyond the pause, the gate waits for.
      try await pause(attempt: part.failures, wait: wait, message)
      question.open.insert(part, at: 0)
    } else if part.positions.count > 1, isWorthTakingApart(after: question.faults) {
      question.open += part.halves(limit: min(1, part.limit))
    } else {
      let tries = part.failures == 1 ? "" : " (\(part.failures) attempts)"
      question.assembly.settle(part, as: .failed, "\(api.source.name): \(message)\(tries)")
    }
  }

  /// Waits before another try, and tells of it.
  private func pause(attempt: Int, wait: Duration = .zero, _ message: String) async throws {
    var generator = SystemRandomNumberGenerator()
    let delay = rules.backoff.delay(attempt: attempt, using: &generator)
    report(
      .retry(provider: api.source.name, attempt: attempt, wait: max(wait, delay), message: message)
    )
    try await ContinuousClock().sleep(for: delay)
  }

  /// Whether a batch is to blame for its failures, rather than a provider that is down.
  ///
  /// A provider that is down fails other questions as well, and each part of this one.
  private func isWorthTakingApart(after faults: Int) -> Bool {
    let inARow = state.withLock { $0.standing.faults }
    return inARow - faults <= Self.faultsOfOthers && inARow <= rules.retries + Self.faultsOfParts
  }
}

import Providers
import Records
import Synchronization

extension RemoteProvider {
  /// Asks for a part until every address in it is settled.
  func ask(_ part: Part, _ assembly: inout AnswerAssembly) async throws {
    var queue = [part]
    while !queue.isEmpty {
      var part = queue.removeFirst()
      switch try await attempt(assembly.addresses(of: part)) {
      case .answers(let answers):
        assembly.put(answers, for: part)
        guard !answers.missing.isEmpty else { continue }
        let isStuck = answers.missing.count == part.positions.count
        part.positions = answers.missing.map { part.positions[$0] }
        try await retry(&part, "the answer has no entry for it", isStuck, &queue, &assembly)
      case .fault(let message, let isFree, let wait):
        if isFree {
          queue.insert(part, at: 0)
        } else {
          try await retry(&part, message, true, &queue, &assembly, atLeast: wait)
        }
      case .takesNoBatch:
        var singles = slices(of: part.positions, limit: 1)
        try await askSingly(&singles, &assembly)
      case .failed(let message):
        assembly.settle(part, as: .failed, message)
      case .networkLost(let message):
        assembly.settle(part, as: .networkLost, message)
      }
    }
  }

  /// Puts a part back for another try, takes it apart, or gives it up.
  private func retry(
    _ part: inout Part,
    _ message: String,
    _ maySplit: Bool,
    _ queue: inout [Part],
    _ assembly: inout AnswerAssembly,
    atLeast wait: Duration = .zero
  ) async throws {
    part.failures += 1
    if part.failures <= part.limit {
      var generator = SystemRandomNumberGenerator()
      let delay = max(wait, rules.backoff.delay(attempt: part.failures, using: &generator))
      report(
        .retry(provider: api.source, attempt: part.failures, wait: delay, message: message)
      )
      try await ContinuousClock().sleep(for: delay)
      queue.insert(part, at: 0)
    } else if maySplit, part.positions.count > 1, isWorthSplitting {
      queue += part.halves
    } else {
      let tries = part.failures == 1 ? "" : " (\(part.failures) attempts)"
      assembly.settle(part, as: .failed, "\(api.source.name): \(message)\(tries)")
    }
  }

  private var isWorthSplitting: Bool {
    state.withLock { $0.faultsInARow <= rules.retries + 1 + Self.faultsOfADownProvider }
  }
}

import Synchronization

/// Wakes all tasks that wait for a change.
///
/// A waiting task names the last round it has seen, so that it misses no ring before it waits.
package final class Bell: Sendable {
  private struct State {
    var round = 0
    var lastID = 0
    var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of rings so far.
  package var round: Int { state.withLock { $0.round } }

  /// Wakes all waiting tasks, in order of arrival.
  package func ring() {
    let waiters = state.withLock { state in
      state.round += 1
      defer { state.waiters = [:] }
      return state.waiters.sorted { $0.key < $1.key }
    }
    for (_, waiter) in waiters { waiter.resume() }
  }

  /// Waits for a ring after a round, or until a deadline.
  ///
  /// - Parameters:
  ///   - round: The round when the state was checked.
  ///   - deadline: When to return at the latest; `nil` for never.
  /// - Throws: `CancellationError`.
  package func wait(after round: Int, until deadline: ContinuousClock.Instant?) async throws {
    guard let deadline else { return try await wait(after: round) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.wait(after: round) }
      group.addTask { try await ContinuousClock().sleep(until: deadline) }
      try await group.next()
      group.cancelAll()
    }
  }

  private func wait(after round: Int) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.round == round, !Task.isCancelled else { return true }
          state.waiters[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
      try Task.checkCancellation()
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
      waiter?.resume(throwing: CancellationError())
    }
  }
}

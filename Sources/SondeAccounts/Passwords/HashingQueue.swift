import SondeSystem
import Synchronization

/// Hashes passwords one at a time on a separate thread, since each takes 64 MiB and a core.
final class HashingQueue: Sendable {
  private enum Turn {
    case granted, refused, cancelled
  }

  private struct State {
    var order = HashOrder()
    var lastTicket: HashOrder.Ticket = 0
    var waiting: [HashOrder.Ticket: CheckedContinuation<Turn, Never>] = [:]
  }

  private let state = Mutex(State())
  private let worker = Worker()

  /// Runs a body when its turn comes; the lowest rank is first.
  ///
  /// - Throws: ``AccountError/busy(retryAfter:)`` if too many wait, ``AccountError/cancelled`` if
  ///   the task was cancelled before its turn, and the errors of the body.
  func perform<R: Sendable>(
    rank: Int,
    _ body: @Sendable () throws(AccountError) -> R
  ) async throws(AccountError) -> R {
    switch await turn(rank) {
    case .granted: break
    case .refused: throw .busy(retryAfter: .seconds(1))
    case .cancelled: throw .cancelled
    }
    defer { endTurn() }
    return try await worker.perform(body)
  }

  var load: (waiting: Int, isBusy: Bool) { state.withLock { ($0.waiting.count, $0.order.isBusy) } }

  private func turn(_ rank: Int) async -> Turn {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { arrive(ticket, rank, $0) }
    } onCancel: {
      leave(ticket)
    }
  }

  private func arrive(
    _ ticket: HashOrder.Ticket,
    _ rank: Int,
    _ continuation: CheckedContinuation<Turn, Never>
  ) {
    let answered = state.withLock { state -> (CheckedContinuation<Turn, Never>?, Turn) in
      // A later cancellation finds it in the queue.
      if Task.isCancelled { return (continuation, .cancelled) }
      switch state.order.arrive(ticket, rank: rank) {
      case .begins: return (continuation, .granted)
      case .refused: return (continuation, .refused)
      case .waits(let displaced):
        state.waiting[ticket] = continuation
        return (displaced.flatMap { state.waiting.removeValue(forKey: $0) }, .refused)
      }
    }
    answered.0?.resume(returning: answered.1)
  }

  private func leave(_ ticket: HashOrder.Ticket) {
    let continuation = state.withLock { state in
      state.order.leave(ticket) ? state.waiting.removeValue(forKey: ticket) : nil
    }
    continuation?.resume(returning: .cancelled)
  }

  private func endTurn() {
    let continuation = state.withLock { state in
      state.order.finish().flatMap { state.waiting.removeValue(forKey: $0) }
    }
    continuation?.resume(returning: .granted)
  }
}

private actor Worker {
  private let executor = BlockingExecutor(label: "sonde.passwords")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func perform<R: Sendable>(
    _ body: @Sendable () throws(AccountError) -> R
  ) throws(AccountError) -> R {
    try body()
  }
}

import Providers
import Records
import Synchronization

/// Why a provider is not asked any more in this run.
struct Refusal: Error, Equatable {
  let message: String
}

/// Lets requests out as the quota and the concurrency allow, first come, first served.
final class QuotaGate: Sendable {
  /// A wait longer than this is not waited for: the quota of the day is spent.
  private static let longestWait = Duration.seconds(3600)

  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Quota.Ticket, any Error>
  }

  private struct State {
    var quota: Quota
    var underWay = 0
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0
    var alarm: (at: Duration, task: Task<Void, Never>)?
    var announced: Duration?
    var refusal: Refusal?
  }

  private let state: Mutex<State>
  private let concurrency: Int
  private let start = ContinuousClock.now
  private let announce: @Sendable (_ wait: Duration, _ remaining: Int) -> Void

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - quota: What is known of the quota at the start.
  ///   - concurrency: Requests under way at once.
  ///   - announce: Told once for every time that nothing may be sent.
  init(
    quota: Quota,
    concurrency: Int,
    announce: @escaping @Sendable (_ wait: Duration, _ remaining: Int) -> Void
  ) {
    state = Mutex(State(quota: quota))
    self.concurrency = concurrency
    self.announce = announce
  }

  /// Requests that the quota allows at the moment; `nil` where there is no window.
  var remaining: Int? { state.withLock { $0.quota.remaining } }

  /// Waits for leave to send one request.
  ///
  /// - Throws: ``Refusal`` when the provider is not to be asked again, or `CancellationError`.
  func acquire() async throws -> Quota.Ticket {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.waiters.append(Waiter(id: id, continuation: continuation)) }
        if Task.isCancelled { cancel(id) }
        letOut()
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Gives a ticket back.
  func settle(_ ticket: Quota.Ticket, _ outcome: Quota.Outcome) {
    state.withLock { state in
      state.underWay -= 1
      state.quota.settle(ticket, outcome, now: now)
    }
    letOut()
  }

  /// Lets no request out for a while, because the provider asked for it.
  func pause(for time: Duration) {
    state.withLock { $0.quota.pause(until: now + time) }
  }

  /// Sends everybody away who waits, and everybody who comes.
  func refuse(_ refusal: Refusal) {
    state.withLock { $0.refusal = refusal }
    letOut()
  }

  private var now: Duration { ContinuousClock.now - start }

  private func cancel(_ id: UInt64) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }

  private enum Step {
    case resume(Waiter, Result<Quota.Ticket, Refusal>)
    case announce(Duration, remaining: Int)
    case rest
  }

  private func letOut() {
    while true {
      switch state.withLock({ nextStep(&$0) }) {
      case .resume(let waiter, .success(let ticket)): waiter.continuation.resume(returning: ticket)
      case .resume(let waiter, .failure(let error)): waiter.continuation.resume(throwing: error)
      case .announce(let wait, let remaining): announce(wait, remaining)
      case .rest: return
      }
    }
  }

  private func nextStep(_ state: inout State) -> Step {
    guard !state.waiters.isEmpty else { return .rest }
    if let refusal = state.refusal {
      return .resume(state.waiters.removeFirst(), .failure(refusal))
    }
    guard state.underWay < concurrency else { return .rest }
    let now = now
    switch state.quota.reserve(now: now) {
    case .send(let ticket):
      state.underWay += 1
      return .resume(state.waiters.removeFirst(), .success(ticket))
    case .waitForAnswer(let until):
      if let until { setAlarm(&state, at: until) }
      return .rest
    case .wait(let until):
      guard until - now <= Self.longestWait else {
        state.refusal = Refusal(message: "the quota is spent")
        return nextStep(&state)
      }
      setAlarm(&state, at: until)
      guard state.announced != until else { return .rest }
      state.announced = until
      return .announce(until - now, remaining: state.quota.remaining ?? 0)
    }
  }

  private func setAlarm(_ state: inout State, at moment: Duration) {
    if let alarm = state.alarm, alarm.at == moment { return }
    state.alarm?.task.cancel()
    let wake = start + moment
    let task = Task { [weak self] in
      guard (try? await ContinuousClock().sleep(until: wake)) != nil else { return }
      self?.ring(moment)
    }
    state.alarm = (moment, task)
  }

  private func ring(_ moment: Duration) {
    state.withLock { if $0.alarm?.at == moment { $0.alarm = nil } }
    letOut()
  }
}

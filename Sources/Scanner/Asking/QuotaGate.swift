import Providers
import Records
import Synchronization

/// Why a provider is not asked any more in this run.
struct Refusal: Error, Equatable {
  let message: String
}

/// Thrown at those who wait for leave while the network is lost: they are to wait for that first.
struct SentBack: Error {}

/// Lets requests out as the quota and the concurrency allow, those of the earlier question first.
final class QuotaGate: Sendable {
  /// A wait longer than this is not waited for: the quota of the day is spent.
  private static let longestWait = Duration.seconds(3600)

  private struct Waiter {
    let id: UInt64
    let turn: UInt64
    /// Set while somebody waits here for leave.
    var continuation: CheckedContinuation<Quota.Ticket, any Error>?
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

  /// Takes a place in the queue, before those of later questions.
  ///
  /// Nobody behind it is let out until it is used or left, so that the earlier question is asked
  /// first even if both wait for the network before this.
  /// - Parameter turn: The number of the question.
  /// - Returns: The place.
  func enter(turn: UInt64) -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      let place = state.waiters.lastIndex { $0.turn <= turn }.map { $0 + 1 } ?? 0
      state.waiters.insert(Waiter(id: state.lastID, turn: turn), at: place)
      return state.lastID
    }
  }

  /// Leaves a place that is not used after all.
  func leave(_ id: UInt64) {
    let isLeft = state.withLock { state in
      guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return false }
      state.waiters.remove(at: place)
      return true
    }
    if isLeft { letOut() }
  }

  /// Waits for leave to send one request.
  ///
  /// - Parameters:
  ///   - id: The place taken with ``enter(turn:)``.
  ///   - isOpen: Whether the way to the provider is.
  /// - Returns: What to give back with ``settle(_:_:)``.
  /// - Throws: ``Refusal`` when the provider is not to be asked again, ``SentBack``, or
  ///   `CancellationError`.
  func acquire(_ id: UInt64, while isOpen: () -> Bool) async throws -> Quota.Ticket {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isQueued = state.withLock { state in
          guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return false }
          state.waiters[place].continuation = continuation
          return true
        }
        guard isQueued else { return continuation.resume(throwing: SentBack()) }
        if Task.isCancelled { dismiss(id, CancellationError()) }
        // Looked at after queueing, so that a loss meanwhile is not missed.
        if !isOpen() { dismiss(id, SentBack()) }
        letOut()
      }
    } onCancel: {
      dismiss(id, CancellationError())
    }
  }

  /// Leave to send one request if there is any at this moment; `nil` otherwise.
  func acquireAtOnce() -> Quota.Ticket? {
    state.withLock { state in
      guard state.refusal == nil, case .send(let ticket) = state.quota.reserve(now: now) else {
        return nil
      }
      state.underWay += 1
      return ticket
    }
  }

  /// Sends everybody back who waits, for the network is lost.
  func sendBack() {
    let waiters = state.withLock { state in
      let waiters = state.waiters.filter { $0.continuation != nil }
      state.waiters.removeAll { $0.continuation != nil }
      return waiters
    }
    for waiter in waiters { waiter.continuation?.resume(throwing: SentBack()) }
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

  private func dismiss(_ id: UInt64, _ error: any Error) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.id == id && $0.continuation != nil }
        .map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation?.resume(throwing: error)
  }

  private enum Step {
    case resume(CheckedContinuation<Quota.Ticket, any Error>, Result<Quota.Ticket, Refusal>)
    case announce(Duration, remaining: Int)
    case rest
  }

  private func letOut() {
    while true {
      switch state.withLock({ nextStep(&$0) }) {
      case .resume(let waiter, .success(let ticket)): waiter.resume(returning: ticket)
      case .resume(let waiter, .failure(let error)): waiter.resume(throwing: error)
      case .announce(let wait, let remaining): announce(wait, remaining)
      case .rest: return
      }
    }
  }

  private func nextStep(_ state: inout State) -> Step {
    if let refusal = state.refusal {
      guard let place = state.waiters.firstIndex(where: { $0.continuation != nil }),
        let waiter = state.waiters.remove(at: place).continuation
      else { return .rest }
      return .resume(waiter, .failure(refusal))
    }
    guard let waiter = state.waiters.first?.continuation else { return .rest }
    guard state.underWay < concurrency else { return .rest }
    let now = now
    switch state.quota.reserve(now: now) {
    case .send(let ticket):
      state.underWay += 1
      state.waiters.removeFirst()
      return .resume(waiter, .success(ticket))
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

import Synchronization

/// The requests of other threads to the loop, and all that they share with it.
final class Inbox: Sendable {
  /// The input since the loop last took it.
  struct Work: Sendable {
    var arrivals: [SubmittedRequest] = []
    var abandoned: [SubmittedRequest] = []
    var cancelled: [SubmittedRequest] = []
    var dropsIdleConnections = false
    var givesUpAll = false
    var givesUpUnsent = false

    var isEmpty: Bool {
      arrivals.isEmpty && cancelled.isEmpty && !dropsIdleConnections && !givesUpAll
        && !givesUpUnsent
    }
  }

  private struct State {
    var work = Work()
    var giveUps = 0
    var isClosed = false
    // Only a sleeping loop is woken, so that a busy one costs no system call per request.
    var isAsleep = false
  }

  private let state = Mutex(State())
  /// Locked while it rings, so that it cannot be replaced and its handle freed meanwhile.
  ///
  /// It is separate from the state, because ringing wakes the loop, which needs the state at once.
  private let alarm = Mutex<MultiHandle.Alarm?>(nil)

  var giveUps: Int { state.withLock { $0.giveUps } }

  /// Accepts a request and returns true, unless all were abandoned more than `giveUps` times.
  func submit(_ exchange: SubmittedRequest, after giveUps: Int?) -> Bool {
    post { state in
      guard giveUps ?? state.giveUps == state.giveUps else { return false }
      state.work.arrivals.append(exchange)
      return true
    }
  }

  func cancel(_ exchange: SubmittedRequest) { post { $0.work.cancelled.append(exchange) } }

  func dropIdleConnections() { post { $0.work.dropsIdleConnections = true } }

  func giveUpUnsent() { post { $0.work.givesUpUnsent = true } }

  /// Abandons all earlier requests; later ones are sent.
  func giveUpAll() {
    post { state in
      state.giveUps += 1
      state.work.givesUpAll = true
      state.work.abandoned += state.work.arrivals
      state.work.arrivals = []
    }
  }

  func close() { post { $0.isClosed = true } }

  private func post<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    let (result, wakes) = state.withLock { state in
      defer { state.isAsleep = false }
      return (change(&state), state.isAsleep)
    }
    if wakes { alarm.withLock { $0?.ring() } }
    return result
  }

  /// Takes the pending work; `nil` once the client is released.
  func take() -> Work? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isAsleep = false
      defer { state.work = Work() }
      return state.work
    }
  }

  /// Whether the loop may sleep; if so, it is marked as sleeping, and new work rings the alarm.
  func beginSleep() -> Bool {
    state.withLock { state in
      state.isAsleep = state.work.isEmpty && !state.isClosed
      return state.isAsleep
    }
  }

  /// Sets the handle to wake from now on; the former one may be freed afterwards.
  func replaceAlarm(_ alarm: MultiHandle.Alarm?) { self.alarm.withLock { $0 = alarm } }
}

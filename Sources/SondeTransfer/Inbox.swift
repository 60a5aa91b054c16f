import Synchronization

/// What other threads ask of the loop, and the only thing they share with it.
final class Inbox: Sendable {
  /// What has come in since the last look.
  struct Work: Sendable {
    var arrivals: [Exchange] = []
    var abandoned: [Exchange] = []
    var cancelled: [Exchange] = []
    var dropsIdleConnections = false
    var givesUpAll = false

    var isEmpty: Bool {
      arrivals.isEmpty && cancelled.isEmpty && !dropsIdleConnections && !givesUpAll
    }
  }

  private struct State {
    var work = Work()
    var giveUps = 0
    var isClosed = false
    // Only a loop that sleeps is woken, so a busy one costs no system call for each request.
    var isAsleep = false
  }

  private let state = Mutex(State())
  /// Locked while it rings, so that it cannot be replaced, and its handle freed, meanwhile; apart
  /// from the state, because ringing wakes the loop, which wants the state at once.
  private let alarm = Mutex<MultiHandle.Alarm?>(nil)

  /// How often everything was given up.
  var giveUps: Int { state.withLock { $0.giveUps } }

  /// Takes a request, unless everything was given up after the first `giveUps` times.
  /// - Returns: Whether it took it.
  func submit(_ exchange: Exchange, after giveUps: Int?) -> Bool {
    post { state in
      guard giveUps ?? state.giveUps == state.giveUps else { return false }
      state.work.arrivals.append(exchange)
      return true
    }
  }

  func cancel(_ exchange: Exchange) { post { $0.work.cancelled.append(exchange) } }

  func dropIdleConnections() { post { $0.work.dropsIdleConnections = true } }

  /// Gives up what came before this; what comes after it is sent.
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

  /// Takes what has come in; `nil` once the client is gone.
  func take() -> Work? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isAsleep = false
      defer { state.work = Work() }
      return state.work
    }
  }

  /// Says that the loop is about to sleep.
  /// - Returns: Whether it may; if so, what comes in from now on rings the alarm.
  func beginSleep() -> Bool {
    state.withLock { state in
      state.isAsleep = state.work.isEmpty && !state.isClosed
      return state.isAsleep
    }
  }

  /// Names the handle to wake from now on; the former one may be freed after this.
  func replaceAlarm(_ alarm: MultiHandle.Alarm?) { self.alarm.withLock { $0 = alarm } }
}

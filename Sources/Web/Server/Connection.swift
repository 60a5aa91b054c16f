import Glibc
internal import Synchronization
internal import System

/// A client's connection, as long as it is open.
final class Connection: Sendable {
  let id: UInt64
  let peer: NumericAddress
  private let descriptor: Int32

  private struct State {
    var pace: Pace
    /// The target of the request line that came last, as it came.
    var target = ""
    var exchange: Exchange?
    var hasSession = false
  }

  private let state: Mutex<State>

  init(id: UInt64, descriptor: Int32, peer: NumericAddress) {
    (self.id, self.descriptor, self.peer) = (id, descriptor, peer)
    state = Mutex(State(pace: Pace(openedAt: Clocks.steady)))
  }

  /// The request under way.
  var exchange: Exchange? { state.withLock { $0.exchange } }

  /// The target of the request whose header has come.
  var target: String { state.withLock { $0.target } }

  /// Whether a request on it has had a session.
  var hasSession: Bool { state.withLock { $0.hasSession } }

  /// Keeps it open where too many are.
  func noteSession() { state.withLock { $0.hasSession = true } }

  /// A request line came.
  func lineCame(_ target: String) {
    state.withLock { state in
      state.target = target
      if state.pace.idleSince != nil { state.pace.headerBegan(at: Clocks.steady) }
    }
  }

  /// A whole header came.
  func began(_ exchange: Exchange) {
    state.withLock { state in
      state.exchange = exchange
      state.pace.headerCame()
    }
  }

  /// The request is over.
  func ended() {
    state.withLock { state in
      state.exchange = nil
      state.pace.answerSent(at: Clocks.steady)
    }
  }

  /// Closes it where the client takes too long.
  func checkPace(_ limits: Limits, at now: Duration) {
    let isOverdue = state.withLock { state in
      if let since = state.pace.idleSince, hasReceived(since: since, at: now) {
        state.pace.headerBegan(at: now)
      }
      let body = state.exchange?.bodyProgress
      return state.pace.isOverdue(at: now, body: body, limits: limits)
    }
    if isOverdue { shutDown() }
  }

  /// Has libmicrohttpd close it.
  ///
  /// Only while it is open: its number may become another's.
  func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Whether bytes came that are no whole request line yet.
  private func hasReceived(since: Duration, at now: Duration) -> Bool {
    guard now - since >= .seconds(1) else { return false }
    var info = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    let code = unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size)
    let age = Duration.milliseconds(Int(info.tcpi_last_data_recv))
    // A margin for the request that has just been answered.
    return code == 0 && age < now - since - .milliseconds(500)
  }
}

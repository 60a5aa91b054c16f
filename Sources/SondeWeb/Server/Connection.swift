import Glibc
import SondeSystem
internal import Synchronization
internal import SondeSystem

/// A client's connection, as long as it is open.
final class Connection: Sendable {
  let id: UInt64
  let peer: NumericAddress

  fileprivate struct State {
    /// `nil` once it is closed: its number may become another's.
    var descriptor: Int32?
    var pace: Pace
    /// The target of the request line that came last, as it came, and its bytes.
    var target = (text: "", length: 0)
    var exchange: Exchange?
    /// Whether the session of the last request still lives; `nil` where that had none.
    var session: SessionCheck?
    /// How often ``session`` was set.
    var turns = 0
    /// Whether it is to be closed, as too many are open.
    var isLeaving = false
  }

  private let state: Mutex<State>

  init(id: UInt64, descriptor: Int32, peer: NumericAddress) {
    (self.id, self.peer) = (id, peer)
    state = Mutex(State(descriptor: descriptor, pace: Pace(openedAt: Clocks.steady)))
  }

  /// The request under way.
  var exchange: Exchange? { state.withLock { $0.exchange } }

  /// The target of the request whose header has come, and its bytes up to the first NUL.
  var target: (text: String, length: Int) { state.withLock { $0.target } }

  /// Tells whether a session still lives.
  typealias SessionCheck = @Sendable () async -> Bool

  /// Whether it may be closed where too many are open: the last request on it had no session, or
  /// that has ended.
  var isNobodys: Bool { state.withLock { $0.session == nil && !$0.isLeaving } }

  /// Notes the session of the last request, which keeps it open where too many are; `nil` where that
  /// had none.
  func note(_ session: SessionCheck?) {
    state.withLock { state in
      (state.session, state.turns) = (session, state.turns &+ 1)
    }
  }

  /// Leaves it to nobody where the session of its last request has ended.
  func checkSession() async {
    let (session, turn) = state.withLock { ($0.session, $0.turns) }
    guard let session, await !session() else { return }
    state.withLock { state in
      if state.turns == turn { state.session = nil }
    }
  }

  /// Notes that it is to be closed.
  func leave() { state.withLock { $0.isLeaving = true } }

  /// A request line came.
  func lineCame(_ target: String, _ length: Int) {
    state.withLock { state in
      state.target = (target, length)
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

  /// libmicrohttpd is about to close it.
  func closed() {
    state.withLock { ($0.descriptor, $0.session) = (nil, nil) }
  }

  /// Has libmicrohttpd close it.
  func shutDown() {
    state.withLock { state in
      if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Closes it where the client takes too long, or has left a stream without end.
  func check(_ limits: Limits, at now: Duration) {
    let (isOverdue, stream) = state.withLock { state in
      if let since = state.pace.idleSince, state.hasReceived(since: since, at: now) {
        state.pace.headerBegan(at: now)
      }
      let body = state.exchange?.bodyProgress
      let channel = state.exchange?.channel.flatMap { $0.isEndless ? $0 : nil }
      let isLeft = channel != nil && state.descriptor.flatMap(TCPStatus.init)?.isLeft == true
      let isOverdue = state.pace.isOverdue(at: now, body: body, limits: limits)
      return (isOverdue, isLeft ? channel : nil)
    }
    stream?.abort()
    if isOverdue { shutDown() }
  }
}

extension Connection.State {
  /// Whether bytes came that are no whole request line yet.
  fileprivate func hasReceived(since: Duration, at now: Duration) -> Bool {
    guard now - since >= .seconds(1), let status = descriptor.flatMap(TCPStatus.init) else {
      return false
    }
    // A margin for the request that has just been answered.
    return status.sinceReceived < now - since - .milliseconds(500)
  }
}

/// What the kernel knows of a connection (tcp(7), `TCP_INFO`).
private struct TCPStatus {
  /// Whether the peer sends nothing more, and so has left a stream.
  let isLeft: Bool
  /// How long ago it last sent anything.
  let sinceReceived: Duration

  init?(_ descriptor: Int32) {
    var info = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    let code = unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size)
    guard code == 0 else { return nil }
    isLeft = Int(info.tcpi_state) != Int(TCP_ESTABLISHED)
    sinceReceived = .milliseconds(Int(info.tcpi_last_data_recv))
  }
}

import Glibc
import SondeSystem
internal import Synchronization

/// An open connection of a client.
final class Connection: ChannelClient {
  let id: UInt64
  let peer: NumericAddress

  fileprivate struct State {
    /// `nil` once closed, since its number may be reused.
    var descriptor: Int32?
    var pace: ConnectionPace
    /// The target of the last request line as received, and its length in bytes.
    var target = (text: "", length: 0)
    var exchange: Exchange?
    /// A check of the last request's session; `nil` if it had none.
    var session: SessionCheck?
    var user: String?
    /// The number of times that ``session`` was set.
    var turns = 0
    /// Whether it is to be closed because too many are open.
    var isLeaving = false
  }

  private let state: Mutex<State>

  /// Whether the peer is a socket of another user of this machine, who is let do nothing.
  let isForeign: Bool

  /// Whether the peer is a proxy, which sends requests of several users.
  private let isProxied: Bool

  init(
    id: UInt64,
    descriptor: Int32,
    peer: NumericAddress,
    isForeign: Bool = false,
    isProxied: Bool = false
  ) {
    (self.id, self.peer) = (id, peer)
    (self.isForeign, self.isProxied) = (isForeign, isProxied)
    state = Mutex(State(descriptor: descriptor, pace: ConnectionPace(openedAt: Clocks.steady)))
  }

  var exchange: Exchange? { state.withLock { $0.exchange } }

  /// The target of the current request, and its length in bytes up to the first NUL.
  var target: (text: String, length: Int) { state.withLock { $0.target } }

  /// Returns whether a session is still valid.
  typealias SessionCheck = @Sendable () async -> Bool

  /// Whether it may be closed if too many are open: its last request had no valid session.
  var isNobodys: Bool { state.withLock { $0.session == nil } }

  /// Whether it waits for a request.
  var isIdle: Bool { state.withLock { $0.exchange == nil && $0.pace.idleSince != nil } }

  /// Whether it is about to be closed because too many are open.
  var isLeaving: Bool { state.withLock { $0.isLeaving } }

  /// Sets the session of the last request; `nil` if it had none.
  ///
  /// It protects the connection from being closed. A proxy's connection is nobody's.
  /// - Returns: Whether it has become another user's.
  @discardableResult
  func note(_ session: SessionCheck?, of user: String? = nil) -> Bool {
    state.withLock { state in
      let session = isProxied ? nil : session
      let earlier = state.owner
      (state.session, state.user, state.turns) = (session, user, state.turns &+ 1)
      return state.owner != nil && state.owner != earlier
    }
  }

  /// Receives the session of a request and its user; false if the user has too many connections.
  typealias Note = (SessionCheck?, _ user: String?) -> Bool

  /// The user of the last request, while its session lives.
  var user: String? { state.withLock { $0.owner } }

  /// Clears the session of the last request if it has ended.
  func checkSession() async {
    let (session, turn) = state.withLock { ($0.session, $0.turns) }
    guard let session, await !session() else { return }
    state.withLock { state in if state.turns == turn { state.session = nil } }
  }

  func leave() { state.withLock { $0.isLeaving = true } }

  func lineCame(_ target: String, _ length: Int) {
    state.withLock { state in
      state.target = (target, length)
      if state.pace.idleSince != nil { state.pace.headerBegan(at: Clocks.steady) }
    }
  }

  func began(_ exchange: Exchange) {
    state.withLock { state in
      state.exchange = exchange
      state.pace.headerCame()
    }
  }

  func ended() {
    state.withLock { state in
      state.exchange = nil
      state.pace.answerSent(at: Clocks.steady)
    }
  }

  /// Called when libmicrohttpd is about to close the connection.
  func closed() { state.withLock { ($0.descriptor, $0.session) = (nil, nil) } }

  func shutDown() {
    state.withLock { state in
      if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Cancels what is read for the client if it has left.
  func notice() {
    let left = state.withLock { state in
      guard let exchange = state.exchange else { return Exchange?.none }
      return state.descriptor.flatMap(TCPStatus.init)?.isLeft == true ? exchange : nil
    }
    left?.clientLeft()
  }

  /// Closes the connection if the client takes too long, or has left an endless stream.
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
  fileprivate var owner: String? { session == nil ? nil : user }

  /// Whether bytes were received that are not yet a complete request line.
  fileprivate func hasReceived(since: Duration, at now: Duration) -> Bool {
    guard now - since >= .seconds(1), let status = descriptor.flatMap(TCPStatus.init) else {
      return false
    }
    // A margin for the request that was just answered.
    return status.sinceReceived < now - since - .milliseconds(500)
  }
}

/// The kernel's information about a connection (tcp(7), `TCP_INFO`).
private struct TCPStatus {
  /// Whether the peer has closed its side, and so has left a stream.
  let isLeft: Bool
  /// The time since the peer last sent anything.
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

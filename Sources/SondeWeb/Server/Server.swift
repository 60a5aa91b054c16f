internal import Synchronization
internal import SondeSystem

/// An HTTP server.
///
/// It answers from its creation until ``stop()``. libmicrohttpd, loaded with the first server,
/// reads and writes all connections on one separate thread; handlers are tasks. While a handler
/// runs, its connection is suspended.
public final class Server: Sendable {
  /// The configuration of a server.
  public struct Configuration: Sendable {
    /// The numeric address and the port to listen on; port 0 for any free one.
    public var listen: Authority

    /// The public URL; `nil` if it is the listening address.
    public var publicURL: PublicURL?

    /// The trusted proxies, whose `X-Forwarded-For` is used.
    public var proxies: [PeerNetwork] = []

    /// The certificate for TLS; `nil` for no TLS.
    public var certificate: TLSCertificate?

    /// The session cookie.
    public var cookie: SessionCookie

    /// Whether a request must name this server as its `Host` and not come from another site's page.
    ///
    /// Switch it off only for public content that cannot be changed.
    public var checksOrigin = true

    /// Whether only this user and root may connect, besides proxies; others of this machine may
    /// only ask with a bearer token, or by paths that are open to anybody.
    public var isForOwnUser = false

    /// The resources that clients may use.
    public var limits = Limits()

    /// The Content-Security-Policy of every answer.
    public var contentSecurityPolicy = SafetyHeaders.policy

    /// The prefix of a ``Problem``'s type.
    public var problemPrefix = "urn:problem:"
    /// The names that may occur several times in a query.
    public var repeatableNames: Set<String> = []

    /// Receives errors that no handler expected, for a log.
    public var report: @Sendable (String) -> Void = { _ in }

    /// Creates the default configuration.
    public init(listen: Authority, publicURL: PublicURL? = nil, cookieName: String = "session") {
      (self.listen, self.publicURL) = (listen, publicURL)
      cookie = SessionCookie(name: cookieName, publicURL: publicURL)
    }
  }

  /// The public URL, or that of the listening address.
  public let url: PublicURL

  /// The listening address, with the port that was chosen if 0 was requested.
  public let listening: Authority

  /// The last one accepts connections; others serve those opened before the certificate was
  /// replaced.
  private let daemons: Daemons
  /// Creates a daemon, and holds the listening socket; `nil` after the server has stopped.
  private let makeDaemon: Mutex<DaemonMaker?>
  private let stopTime: Duration
  private let sweeping: Task<Void, Never>
  /// Checks sessions in a task of its own, so that nothing waits for the session store.
  private let checking: Task<Void, Never>
  /// Notices clients that have left.
  private let noticing: Task<Void, Never>
  private let stopping = Mutex<Task<Void, Never>?>(nil)

  /// Starts a server.
  ///
  /// - Throws: ``ServerError``.
  public init<Store: SessionStore>(
    _ configuration: Configuration,
    routes: Routes<Store.Session>,
    sessions: Store
  ) throws(ServerError) {
    allowDescriptors(configuration.limits.connections + 512)
    let socket = try ListeningSocket(configuration.listen)
    listening = socket.authority
    let scheme = configuration.certificate == nil ? Scheme.http : .https
    url = configuration.publicURL ?? PublicURL(scheme: scheme, authority: socket.authority)
    var cookie = configuration.cookie
    cookie.fill(port: socket.authority.port)
    if scheme == .https { cookie.isSecure = true }
    let safety = SafetyHeaders(policy: configuration.contentSecurityPolicy)
    let application = Application(
      routes: routes,
      sessions: sessions,
      origins: configuration.checksOrigin
        ? OriginRules(
          listening: socket.authority,
          scheme: scheme,
          publicURL: configuration.publicURL
        ) : nil,
      forwarded: ForwardedFor(proxies: configuration.proxies),
      cookie: cookie,
      url: url,
      safety: safety,
      problemPrefix: configuration.problemPrefix,
      repeatableNames: configuration.repeatableNames,
      report: configuration.report
    )
    let limits = configuration.limits
    let (isForOwnUser, proxies) = (configuration.isForOwnUser, configuration.proxies)
    let makeDaemon = { @Sendable (certificate: TLSCertificate?) throws(ServerError) in
      let daemon = try Daemon(
        socket,
        limits: limits,
        certificate: certificate,
        safety: safety,
        judges: isForOwnUser,
        proxies: proxies
      ) { application.exchange($0, $1, of: $2, $3) }
      try daemon.start()
      return daemon
    }
    let daemons = Daemons([try makeDaemon(configuration.certificate)])
    (self.daemons, stopTime) = (daemons, limits.stopTime)
    self.makeDaemon = Mutex(makeDaemon)
    sweeping = Task {
      while (try? await Task.sleep(for: .seconds(1))) != nil { await daemons.sweep() }
    }
    noticing = Task {
      while (try? await Task.sleep(for: .milliseconds(50))) != nil { await daemons.notice() }
    }
    checking = Task {
      while (try? await Task.sleep(for: .seconds(1))) != nil { await daemons.checkSessions() }
    }
  }

  /// Uses another certificate for new connections.
  ///
  /// Open connections, including streams, are not affected.
  /// - Throws: ``ServerError`` if the certificate is unusable; then the former one stays in use.
  public func replace(_ certificate: TLSCertificate) throws(ServerError) {
    // Both accept for a moment, so that no connection is refused.
    guard let makeDaemon = makeDaemon.withLock({ $0 }) else { throw .refused }
    daemons.add(try makeDaemon(certificate))
  }

  /// The number of connections of each user who has any.
  public var connectionsOfUsers: [String: Int] {
    let users = daemons.all.flatMap(\.connections).compactMap(\.user)
    return Dictionary(users.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// Stops accepting, ends streams, waits briefly for current answers, and closes all connections.
  ///
  /// Returns when no handler can be called any more.
  public func stop() async {
    let task = stopping.withLock { stopping in
      let task = stopping ?? Task { await self.end() }
      stopping = task
      return task
    }
    await task.value
  }

  private func end() async {
    makeDaemon.withLock { $0 = nil }
    let daemons = daemons.all
    for daemon in daemons { daemon.quiesce() }
    let end = ContinuousClock.now + stopTime
    for channel in daemons.flatMap(\.exchanges).compactMap(\.channel) { channel.finish() }
    while daemons.contains(where: { !$0.exchanges.isEmpty }), .now < end {
      try? await Task.sleep(for: .milliseconds(10))
    }
    checking.cancel()
    noticing.cancel()
    sweeping.cancel()
    await sweeping.value
    for daemon in self.daemons.takeAll() { await daemon.stopElsewhere() }
  }
}

private typealias DaemonMaker = @Sendable (TLSCertificate?) throws(ServerError) -> Daemon

extension Application {
  fileprivate func exchange(
    _ head: RequestHead,
    _ connection: Connection,
    of daemon: Daemon,
    _ handle: ConnectionHandle
  ) -> Exchange {
    let isHead = head.method == .head
    do throws(Problem) {
      let framing = try Framing(head)
      let onlyReads = head.method == .get
      // A handler that never returns must not keep the listening socket.
      return Exchange(connection, handle, framing: framing, onlyReads: onlyReads) {
        [weak daemon] exchange in
        let response: Response
        do {
          let admitted = try admit(head, source: exchange)
          response = await answer(admitted) { [weak daemon] session, user in
            !connection.note(session, of: user) || daemon?.makeRoom(for: connection) != false
          }
        } catch {
          connection.note(nil)
          response = answer(to: error)
        }
        await exchange.send(response, isHead: isHead)
      }
    } catch {
      // The start of the next request is unknown.
      let refusal = answer(to: error).with("Connection", "close")
      connection.note(nil)
      let unread = Framing(length: nil, expectsContinue: true)
      let exchange = Exchange(connection, handle, framing: unread) { _ in }
      exchange.deliver(refusal)
      return exchange
    }
  }
}

extension Exchange {
  /// Delivers the answer, and writes its body if it is streamed.
  fileprivate func send(_ response: Response, isHead: Bool) async {
    guard case .stream(let write) = response.body else { return deliver(response) }
    let channel = ByteChannel()
    var answer = response
    answer.body = .channel(channel)
    deliver(answer)
    do {
      if !isHead { try await write(BodyWriter(channel: channel)) }
      channel.finish()
    } catch {
      channel.cut()
    }
  }
}

internal import Synchronization
internal import SondeSystem

/// An HTTP server.
///
/// It answers from the moment it is made until ``stop()``. libmicrohttpd, loaded when the first server is
/// made, reads and writes all connections on one thread of its own; handlers are tasks. While one runs,
/// its connection is set aside.
public final class Server: Sendable {
  /// How a server is set up.
  public struct Configuration: Sendable {
    /// Where to listen: a numeric address and a port, 0 for any.
    public var listen: Authority

    /// Where people find it; `nil` is where it listens.
    public var publicURL: PublicURL?

    /// The proxies whose `X-Forwarded-For` is believed.
    public var proxies: [PeerNetwork] = []

    /// What TLS is spoken with; `nil` for no TLS.
    public var certificate: TLSCertificate?

    /// The cookie that sessions are proved by.
    public var cookie: SessionCookie

    /// What clients may use up.
    public var limits = Limits()

    /// The Content-Security-Policy of every answer.
    public var contentSecurityPolicy = SafetyHeaders.policy

    /// What stands before a ``Problem``'s type.
    public var problemPrefix = "urn:problem:"

    /// Told of errors that no handler foresaw; for a log.
    public var report: @Sendable (String) -> Void = { _ in }

    /// The usual set-up.
    public init(listen: Authority, publicURL: PublicURL? = nil, cookieName: String = "session") {
      (self.listen, self.publicURL) = (listen, publicURL)
      cookie = SessionCookie(name: cookieName, publicURL: publicURL)
    }
  }

  /// Where it is found: the public URL, or where it listens.
  public let url: PublicURL

  /// Where it listens, with the port that was chosen where 0 was asked for.
  public let listening: Authority

  /// The last one accepts connections; others have those that came before the certificate was replaced.
  private let daemons: Daemons
  /// Makes one that accepts, and holds the listening socket; `nil` once the server has stopped.
  private let makeDaemon: Mutex<DaemonMaker?>
  private let stopTime: Duration
  private let sweeping: Task<Void, Never>
  /// Waits for the session store, which nobody waits for.
  private let checking: Task<Void, Never>
  private let stopping = Mutex<Task<Void, Never>?>(nil)

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - configuration: How it is set up.
  ///   - routes: What it answers.
  ///   - sessions: Who knows the sessions.
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
      origins: OriginRules(
        listening: socket.authority,
        scheme: scheme,
        publicURL: configuration.publicURL
      ),
      forwarded: ForwardedFor(proxies: configuration.proxies),
      cookie: cookie,
      url: url,
      safety: safety,
      problemPrefix: configuration.problemPrefix,
      report: configuration.report
    )
    let limits = configuration.limits
    let makeDaemon = { @Sendable (certificate: TLSCertificate?) throws(ServerError) in
      let daemon = try Daemon(socket, limits: limits, certificate: certificate, safety: safety) {
        application.exchange($0, $1, $2)
      }
      try daemon.start()
      return daemon
    }
    let daemons = Daemons([try makeDaemon(configuration.certificate)])
    (self.daemons, stopTime) = (daemons, limits.stopTime)
    self.makeDaemon = Mutex(makeDaemon)
    sweeping = Task {
      while (try? await Task.sleep(for: .seconds(1))) != nil { await daemons.sweep() }
    }
    checking = Task {
      while (try? await Task.sleep(for: .seconds(1))) != nil { await daemons.checkSessions() }
    }
  }

  /// Proves with another certificate who it is, to those who connect from now on.
  ///
  /// Connections that are open, streams among them, go on as they are.
  /// - Throws: ``ServerError`` where it is of no use; then the former stays.
  public func replace(_ certificate: TLSCertificate) throws(ServerError) {
    // Both accept for a moment, so that nobody is turned away.
    guard let makeDaemon = makeDaemon.withLock({ $0 }) else { throw .refused }
    daemons.add(try makeDaemon(certificate))
  }

  /// Stops: accepts nothing more, ends streams, waits a moment for answers under way, closes all.
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
    sweeping.cancel()
    await sweeping.value
    for daemon in self.daemons.takeAll() { await daemon.stopElsewhere() }
  }
}

/// Makes a daemon that accepts connections.
private typealias DaemonMaker = @Sendable (TLSCertificate?) throws(ServerError) -> Daemon

extension Application {
  /// The exchange of a request whose header has come.
  fileprivate func exchange(
    _ head: RequestHead,
    _ connection: Connection,
    _ handle: ConnectionHandle
  ) -> Exchange {
    let isHead = head.method == .head
    do throws(Problem) {
      let framing = try Framing(head)
      return Exchange(connection, handle, framing: framing) { exchange in
        let response: Response
        do {
          let admitted = try admit(head, source: exchange)
          response = await answer(admitted, note: connection.note)
        } catch {
          connection.note(nil)
          response = answer(to: error)
        }
        await exchange.send(response, isHead: isHead)
      }
    } catch {
      // Nobody knows where the next request would begin.
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
  /// Gives the answer, and writes its body where it is streamed.
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

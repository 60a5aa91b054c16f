public import SondeAccounts
public import SondeDashboard
public import SondeStore
public import SondeWeb
import Synchronization

/// The HTTP server of the dashboard.
public final class DashboardServer: Sendable {
  /// The configuration, including that of the HTTP server.
  public struct Configuration: Sendable {
    /// The HTTP server.
    public var web: Server.Configuration

    /// The properties for the page.
    public var page: PageSettings

    /// Who may register.
    public var membership = Membership.alone

    /// The maximum size of an upload in bytes.
    public var longestUpload = 1 << 30

    /// Creates the default configuration.
    public init(_ web: Server.Configuration, _ page: PageSettings) {
      (self.web, self.page) = (web, page)
      self.web.problemPrefix = "urn:sonde:"
      self.web.repeatableNames = ["log"]
      // The map requires its empty picture, `data:,`; the page's <base> names its base path.
      self.web.contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
        font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'self'; \
        frame-ancestors 'none'
        """
    }
  }

  /// The accounts.
  public let accounts: AccountStore

  private let core: DashboardCore
  private let server: Server
  private let events: EventHub
  /// All events since before the first scan is resumed: a page may connect before this runs.
  private let happenings: AsyncStream<DashboardEvent>

  /// Loads the stored data and starts listening; `core` must not run yet.
  ///
  /// The view of the cache is empty without a `store`.
  /// - Throws: `ServerError`, `AccountError`, ``StateError``.
  public init(
    _ core: DashboardCore,
    cache store: (any AnswerStore)?,
    _ configuration: Configuration
  ) async throws {
    let events = EventHub()
    (self.core, self.events) = (core, events)
    let isTeam = configuration.membership != .alone
    // Of the server, which begins last.
    let connections = ConnectionCounter()
    accounts = try AccountStore(
      path: core.state.folder + "/accounts.db",
      membership: configuration.membership,
      tokenPrefix: "sonde_"
    ) { end in
      for session in end.sessions { events.endStreams(ofSession: session) }
    }
    let api = DashboardAPI(
      core: core,
      accounts: accounts,
      cache: CacheDesk(store),
      events: events,
      connections: { connections.count },
      longestUpload: configuration.longestUpload
    )
    var routes = Routes<Access>()
    api.add(to: &routes)
    var page = configuration.page
    page.isTeam = isTeam
    page.isLive = !(await core.logs.infos()).isEmpty
    DashboardFiles(theme: page.theme)
      .add(to: &routes, page, basePath: configuration.web.publicURL?.basePath ?? "/")
    happenings = core.hub.events()
    // Before any request for a stored scan.
    try await core.open()
    // A killed server may have left data of an account that it removed.
    try await core.removeAll(butOf: Set(try await accounts.users().map(\.id)))
    var web = configuration.web
    web.isForOwnUser = !isTeam
    do throws(ServerError) {
      server = try Server(
        web,
        routes: routes,
        sessions: DashboardSessions(accounts: accounts)
      )
      connections.begin(server)
    } catch {
      await core.close()
      throw error
    }
  }

  /// The reason why uploads are refused and scans wait for disk space; `nil` if there is none.
  public var shortage: String? { core.shortage }

  /// The address it listens on.
  public var listening: Authority { server.listening }

  /// Uses another certificate for new connections; open streams continue.
  ///
  /// - Throws: `ServerError` if it is not valid; then the old one is kept.
  public func replace(_ certificate: TLSCertificate) throws(ServerError) {
    try server.replace(certificate)
  }

  /// Runs until the task is cancelled, then stops within two seconds; scans can be resumed.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.core.run() }
      group.addTask {
        for await event in self.happenings { self.events.tell(event.sent) }
        await self.server.stop()
      }
    }
  }
}

// MARK: - Operation of the server

extension DashboardServer {
  /// Creates a one-time link that is valid for ten minutes.
  ///
  /// It opens a session or, with accounts, registers the admin.
  /// - Throws: `AccountError`; `adminExists` if there is already an admin.
  public func makeLink() async throws(AccountError) -> String {
    link(.open, try await accounts.makeOneTimeLink())
  }

  /// Creates a link by which one person may register within 7 days.
  public func invite() async throws(AccountError) -> String {
    link(.invitation, try await accounts.invite())
  }

  /// Removes an account's password, and creates a link that sets a new one within 24 hours.
  public func reset(_ email: String) async throws(AccountError) -> String {
    link(.reset, try await accounts.reset(email))
  }

  /// Removes an account and all its data.
  ///
  /// - Throws: `AccountError`, ``DashboardError`` or ``StateError``.
  public func remove(_ email: String) async throws {
    let user = try await accounts.remove(email)
    try await core.removeAll(of: user.id)
  }

  private func link(_ purpose: OneTimePurpose, _ issued: Issued<OneTimeLink>) -> String {
    purpose.link(issued.secret, on: server.url)
  }
}

/// Counts the connections of a server, once there is one.
private final class ConnectionCounter: Sendable {
  private struct Counted {
    weak var server: Server?
  }

  private let counted = Mutex(Counted())

  func begin(_ server: Server) { counted.withLock { $0.server = server } }

  /// The number of connections of each user.
  var count: [String: Int] { counted.withLock { $0.server }?.connectionsOfUsers ?? [:] }
}

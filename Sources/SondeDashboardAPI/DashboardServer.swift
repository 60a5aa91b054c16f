public import SondeAccounts
public import SondeDashboard
public import SondeStore
public import SondeWeb

/// The dashboard as people and scripts reach it: its core behind an HTTP server.
public final class DashboardServer: Sendable {
  /// How it is set up, beside the HTTP server itself.
  public struct Configuration: Sendable {
    /// The HTTP server.
    public var web: Server.Configuration

    /// The properties for the page.
    public var page: PageSettings

    /// Who is let in.
    public var membership = Membership.alone

    /// The longest upload, in bytes.
    public var longestUpload = 1 << 30

    /// The usual set-up.
    public init(_ web: Server.Configuration, _ page: PageSettings) {
      (self.web, self.page) = (web, page)
      self.web.problemPrefix = "urn:sonde:"
      // The map wants its empty picture, `data:,`; the page's <base> names its base path.
      self.web.contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
        font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'self'; \
        frame-ancestors 'none'
        """
    }
  }

  private let core: DashboardCore
  private let server: Server
  private let accounts: AccountStore
  private let events: EventHub
  /// All events since before the first scan is resumed: a page may listen before this runs.
  private let happenings: AsyncStream<DashboardEvent>

  /// Takes up what is kept, and begins to answer.
  ///
  /// - Parameters:
  ///   - core: What is done; not run yet.
  ///   - store: Where answers are kept, for the view of the cache; `nil` for nowhere.
  ///   - configuration: How it is set up.
  /// - Throws: `ServerError`, `AccountError`, ``StateError``.
  public init(
    _ core: DashboardCore,
    cache store: (any AnswerStore)?,
    _ configuration: Configuration
  ) async throws {
    let events = EventHub()
    (self.core, self.events) = (core, events)
    let isTeam = configuration.membership != .alone
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
      longestUpload: configuration.longestUpload
    )
    var routes = Routes<Access>()
    api.add(to: &routes)
    var page = configuration.page
    page.isTeam = isTeam
    DashboardFiles(theme: page.theme)
      .add(
        to: &routes,
        page,
        basePath: configuration.web.publicURL?.basePath ?? "/"
      )
    happenings = core.hub.events()
    // Before anybody can ask for a scan that is kept.
    try await core.open()
    // A server that was killed may have left what belongs to an account that it removed.
    try await core.removeAll(butOf: Set(try await accounts.users().map(\.id)))
    do throws(ServerError) {
      server = try Server(
        configuration.web,
        routes: routes,
        sessions: DashboardSessions(accounts: accounts)
      )
    } catch {
      await core.close()
      throw error
    }
  }

  /// The reason why uploads are refused and scans wait for disk space; `nil` if there is none.
  public var shortage: String? { core.shortage }

  /// Where it listens.
  public var listening: Authority { server.listening }

  /// Speaks TLS with another certificate to those who connect from now on; streams go on.
  ///
  /// - Throws: `ServerError` where it is of no use; then the former stays.
  public func replace(_ certificate: TLSCertificate) throws(ServerError) {
    try server.replace(certificate)
  }

  /// Works until the task is cancelled, then ends within two seconds; what is under way can be resumed.
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
  /// Makes a link that can be used once, within ten minutes: it opens a session or, with accounts,
  /// registers the admin.
  ///
  /// - Throws: `AccountError`: of the kind `adminExists` where there is an admin.
  public func makeLink() async throws(AccountError) -> String {
    link(.open, try await accounts.makeOneTimeLink())
  }

  /// Makes a link that one person may register by, within 7 days.
  ///
  /// - Throws: `AccountError`.
  public func invite() async throws(AccountError) -> String {
    link(.invitation, try await accounts.invite())
  }

  /// All accounts, by email.
  ///
  /// - Throws: `AccountError`.
  public func users() async throws(AccountError) -> [User] { try await accounts.users() }

  /// Takes an account's password away, and makes a link that sets another, within 24 hours.
  ///
  /// - Throws: `AccountError`.
  public func reset(_ email: String) async throws(AccountError) -> String {
    link(.reset, try await accounts.reset(email))
  }

  /// Keeps an account from logging in, and ends what it has open.
  ///
  /// - Throws: `AccountError`.
  public func disable(_ email: String) async throws(AccountError) {
    try await accounts.disable(email)
  }

  /// Lets an account log in again.
  ///
  /// - Throws: `AccountError`.
  public func enable(_ email: String) async throws(AccountError) {
    try await accounts.enable(email)
  }

  /// Removes an account and all that belongs to it.
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

import Accounts
public import Store
public import Web

/// The dashboard as people and scripts reach it: its core behind an HTTP server.
public final class DashboardServer: Sendable {
  /// How it is set up, beside the HTTP server itself.
  public struct Configuration: Sendable {
    /// The HTTP server.
    public var web: Server.Configuration

    /// What the page is told.
    public var page: PageSettings

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
  private let events: Web.EventHub

  /// Takes up what is kept, and begins to answer.
  ///
  /// - Parameters:
  ///   - core: What is done; not run yet.
  ///   - store: Where answers are kept, for the view of the cache; `nil` for nowhere.
  ///   - configuration: How it is set up.
  /// - Throws: `ServerError`, `AccountError`, ``StateError``.
  public init(
    _ core: DashboardCore,
    cache store: Store?,
    _ configuration: Configuration
  ) async throws {
    let events = Web.EventHub()
    (self.core, self.events) = (core, events)
    accounts = try AccountStore(path: core.state.folder + "/accounts.db", membership: .alone) {
      for session in $0.sessions { events.endStreams(ofSession: session) }
    }
    let api = DashboardAPI(
      core: core,
      accounts: accounts,
      cache: CacheDesk(store),
      events: events,
      longestUpload: configuration.longestUpload
    )
    var routes = Routes<Session>()
    api.add(to: &routes)
    DashboardFiles(theme: configuration.page.theme)
      .add(
        to: &routes,
        configuration.page,
        basePath: configuration.web.publicURL?.basePath ?? "/"
      )
    // Before anybody can ask for a scan that is kept.
    try await core.open()
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

  /// Where it listens.
  public var listening: Authority { server.listening }

  /// Makes a link that opens one session, within ten minutes.
  ///
  /// - Throws: `AccountError` where it cannot be kept.
  public func makeLink() async throws -> String {
    "\(server.url)#open=\(try await accounts.makeOneTimeLink().secret.text)"
  }

  /// Works until the task is cancelled, then ends within two seconds; what is under way can be resumed.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.core.run() }
      group.addTask {
        for await event in self.core.hub.events() { self.events.tell(event.sent) }
        await self.server.stop()
      }
    }
  }
}

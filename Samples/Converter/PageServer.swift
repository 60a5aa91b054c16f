import Accounts
import CConverterPage
import Web

/// Serves the page and what it asks, to who has opened the link.
struct PageServer {
  // Cookies know no ports: on an address of its own they are sent to nobody else.
  private static let host = "127.83.1.2"

  private let accounts: AccountStore
  private let server: Server

  /// Begins to answer, on a free port.
  ///
  /// - Parameters:
  ///   - desk: Has the rates.
  ///   - hub: Where it tells of them.
  /// - Throws: What the libraries throw.
  init(_ desk: RateDesk, hub: EventHub) throws {
    // In memory: a new start asks to log in anew.
    let accounts = try AccountStore(path: nil, membership: .alone) { end in
      for session in end.sessions { hub.endStreams(ofSession: session) }
    }
    let listen = Authority(host: Self.host, port: 0)
    var configuration = Server.Configuration(listen: listen, cookieName: "sonde_PORT")
    configuration.problemPrefix = "urn:sonde:"
    configuration.report = { tell($0) }
    self.accounts = accounts
    let routes = PageAPI(desk: desk, hub: hub, accounts: accounts).routes
    server = try Server(configuration, routes: routes, sessions: Sessions(accounts: accounts))
  }

  /// Makes a link that opens the page once, within ten minutes.
  ///
  /// - Throws: `AccountError`.
  func makeLink() async throws -> String {
    "\(server.url)#open=\(try await accounts.makeOneTimeLink().secret.text)"
  }

  /// Ends streams and connections.
  func stop() async { await server.stop() }
}

private struct Sessions: SessionStore {
  let accounts: AccountStore

  func session(of token: String) async -> Session? {
    try? await accounts.session(of: Secret(token))
  }
}

/// What is asked at which path.
private struct PageAPI: Sendable {
  let desk: RateDesk
  let hub: EventHub
  let accounts: AccountStore

  var routes: Routes<Session> {
    var routes = Routes<Session>()
    routes.view("/", unsafe Asset(converter_page(), "text/html; charset=utf-8"))
    routes.asset("/converter.js", unsafe Asset(converter_script(), "text/javascript"))
    routes.asset("/converter.css", unsafe Asset(converter_style(), "text/css; charset=utf-8"))
    routes.asset("/icon.svg", unsafe Asset(converter_icon(), "image/svg+xml"))
    routes.on(.post, "/api/v1/session", openSession)
    routes.on(.get, "/api/v1/session") { _, _ in .json(["user": nil]) }
    routes.on(.delete, "/api/v1/session", endSession)
    routes.on(.get, "/api/v1/events") { request, session in
      try await hub.stream(to: request, user: "", session: session.id) { await desk.states }
    }
    routes.on(.post, "/api/v1/rates") { _, _ in
      Task { await desk.load() }
      return .empty
    }
    routes.on(.post, "/api/v1/conversions", convert)
    return routes
  }

  private func openSession(_ request: Request) async throws -> Response {
    let link = Secret(try await request.members("link").string("link"))
    let former = request.sessionToken.map { Secret($0) }
    let opened: Issued<Session>
    do throws(AccountError) {
      opened = try await accounts.openSession(by: link, endingFormer: former)
    } catch {
      guard error == .linkUsed else { throw error }
      throw Problem("link-used", status: 410, title: "Link used", detail: "\(error)")
    }
    let cookie = request.sessionCookie
      .setting(opened.secret.text, for: AccountStore.sessionLifetime)
    return .json(["user": nil], status: 201).with("Set-Cookie", cookie)
  }

  private func endSession(_ request: Request, _ session: Session) async throws -> Response {
    try await accounts.endSession(session.id, of: nil)
    return .empty.with("Set-Cookie", request.sessionCookie.clearing)
  }

  /// Converts an amount as it is typed.
  private func convert(_ request: Request, _ session: Session) async throws -> Response {
    let members = try await request.members("amount", "from", "to", "sign")
    guard let from = Currency(code: try members.string("from")),
      let to = Currency(code: try members.string("to"))
    else { throw Problem.invalid("“from” and “to” must be currencies") }
    guard let amount = Amount(try members.string("amount")) else {
      throw Problem("not-an-amount", status: 422, title: "Not an amount")
    }
    let earlier = try members.optionalString("sign").flatMap { DecimalSign(rawValue: $0) }
    let sign = amount.sign ?? earlier ?? .point
    let rates = await desk.rates ?? Rates(fetched: .zero)
    do throws(MissingRate) {
      let result = try rates.convert(amount.value, from: from, to: to).text(sign: sign)
      return .json(["amount": .string(result), "sign": .string(sign.rawValue)])
    } catch {
      throw Problem("no-rate", status: 422, title: "\(error)")
    }
  }
}

extension Asset {
  fileprivate convenience init(_ file: converter_file, _ type: String) {
    let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
    unsafe self.init([UInt8](bytes), type: type)
  }
}

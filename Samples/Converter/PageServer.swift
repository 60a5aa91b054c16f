import SondeAccounts
import CSondeConverterPage
import SondeWeb
import SondeWebApp

/// Serves the page and its API to the browser that opened the link.
struct PageServer {
  private let accounts: AccountStore
  private let server: Server

  /// Starts listening on a free port.
  init(_ desk: RateDesk, hub: EventHub) throws {
    // In memory: each start requires a new login.
    let accounts = try AccountStore(path: nil, membership: .alone) { hub.endStreams($0) }
    self.accounts = accounts
    let routes = PageAPI(desk: desk, hub: hub, accounts: accounts).routes
    let configuration = Server.Configuration.local("127.83.1.2") { tell($0) }
    server = try Server(configuration, routes: routes, sessions: AccountSessions(accounts))
  }

  /// Creates a link that opens the page once, within ten minutes.
  func makeLink() async throws -> String {
    "\(server.url)#open=\(try await accounts.makeOneTimeLink().secret.text)"
  }

  /// Closes streams and connections.
  func stop() async { await server.stop() }
}

/// The routes of the page.
private struct PageAPI: Sendable {
  let desk: RateDesk
  let hub: EventHub
  let accounts: AccountStore

  var routes: Routes<Session> {
    var routes = Routes<Session>()
    routes.view("/", unsafe Asset(converter_page()))
    for index in 0..<converter_file_count() {
      let file = unsafe converter_file_at(index)
      routes.asset(unsafe String(cString: file.path), unsafe Asset(file))
    }
    AccountAPI(accounts).add(to: &routes)
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

  /// Converts an amount while it is typed.
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
  fileprivate convenience init(_ file: converter_file) {
    unsafe self.init(file.bytes, count: file.count, type: String(cString: file.type))
  }
}

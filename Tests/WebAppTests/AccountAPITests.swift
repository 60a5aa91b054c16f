import SondeAccounts
import Testing
import SondeTransfer
import SondeWeb

@testable import SondeWebApp

@Suite(.timeLimit(.minutes(1))) struct AccountAPITests {
  private let client: HTTPClient
  private let accounts: AccountStore
  private let server: Server
  private let link: String

  init() async throws {
    client = try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "sonde/1.0"))
    accounts = try AccountStore(path: nil, membership: .equals)
    var routes = Routes<Session>()
    AccountAPI(accounts).add(to: &routes)
    let configuration = Server.Configuration(listen: Authority(host: "127.0.0.1", port: 0))
    server = try Server(configuration, routes: routes, sessions: AccountSessions(accounts))
    link = "\(server.url)api/v1/"
  }

  private func post(_ path: String, _ body: JSON) async throws -> SondeTransfer.Response {
    let type = [(name: "Content-Type", value: "application/json")]
    return try await client.send(
      SondeTransfer.Request(url: link + path, method: .post, body: body.bytes, headers: type)
    )
  }

  private func session(_ cookie: String?) async throws -> SondeTransfer.Response {
    let headers = cookie.map { [(name: "Cookie", value: String($0.prefix { $0 != ";" }))] } ?? []
    return try await client.send(SondeTransfer.Request(url: link + "session", headers: headers))
  }

  @Test func `who has registered logs in, and is known by the cookie`() async throws {
    let ada: JSON = ["email": " Ada@Example.org", "password": "correct horse"]
    let registered = try await post("users", ada)
    #expect(registered.status == 201)
    #expect(try JSON(parsing: registered.body)["email"] == "ada@example.org")
    #expect(registered.header("set-cookie") == nil)
    #expect(try await session(nil).status == 401)
    let opened = try await post("session", ada)
    #expect(opened.status == 201)
    let known = try await session(opened.header("set-cookie"))
    #expect(known.status == 200)
    let user = try JSON(parsing: known.body)["user"]
    #expect(user?["email"] == "ada@example.org")
    #expect(user?["admin"] == false)
    await server.stop()
  }

  @Test func `what is refused is told as the contract words it`() async throws {
    let ada: JSON = ["email": "ada@example.org", "password": "correct horse"]
    _ = try await post("users", ada)
    let table: [(path: String, body: JSON, status: Int, words: String)] = [
      ("users", ada, 409, "User Already Exists"),
      ("users", ["email": "ada", "password": "correct horse"], 422, "No valid email"),
      ("users", ["email": "b@c.d", "password": "short"], 422, "Password needs 10 to 1024 bytes"),
      ("users", ["email": "b@c.d"], 422, "“password” is missing"),
      (
        "session", ["email": "ada@example.org", "password": "wrong horse"], 401,
        "Invalid credentials"
      ),
      ("session", ["email": "b@c.d", "password": "wrong horse"], 401, "Invalid credentials"),
      ("session", ["link": "x"], 410, "This link was used or has expired"),
      (
        "session", ["link": "x", "email": "y"], 422,
        "the body must have either “link”, or “email” and “password”"
      ),
      ("session", [:], 422, "“email” is missing"),
    ]
    for row in table {
      let answer = try await post(row.path, row.body)
      #expect(answer.status == row.status)
      let said = try JSON(parsing: answer.body)
      #expect([said["title"], said["detail"]].contains(.string(row.words)), "\(said)")
    }
    await server.stop()
  }

  @Test func `who tries too often is told when to come again`() {
    #expect(AccountError.tooSoon(retryAfter: .seconds(8)).problem?.headers == ["Retry-After": "8"])
    #expect(AccountError.storage(reason: "/x", isDiskFull: false).problem == nil)
    #expect(AccountError.storage(reason: "/x", isDiskFull: true).problem?.status == 507)
  }
}

import Accounts
import Reachability
import System
import TestSupport
import Testing
import Transfer
import Web

@Suite(.timeLimit(.minutes(1))) struct WebExamples {
  private func client() throws -> HTTPClient {
    try HTTPClient(configuration: HTTPClient.Configuration(version: "1.0"))
  }

  @Test func server() async throws {
    let client = try client()
    // example: Server
    var routes = Routes<Never>()
    routes.on(.get, "/greetings/{count}") { request in
      let count: Int = try request.parameter("count")
      try request.query.allow("name")
      let name = request.query["name"] ?? "World"
      return .json(["greeting": .string("Hello, \(name)"), "count": .integer(Int64(count))])
    }
    let listen = Authority(host: "127.0.0.1", port: 0)
    let server = try Server(
      Server.Configuration(listen: listen),
      routes: routes,
      sessions: NoSessions()
    )
    let answer = try await client.send(Request(url: "\(server.url)greetings/3?name=Ada"))
    #expect(String(decoding: answer.body, as: UTF8.self) == #"{"greeting":"Hello, Ada","count":3}"#)
    await server.stop()
    // end
  }

  @Test func bodies() async throws {
    let folder = try ScratchFolder()
    // example: members
    var routes = Routes<Never>()
    routes.on(.post, "/notes") { request in
      let members = try await request.members("title", "pinned")
      let title = try members.string("title")
      guard !title.isEmpty else { throw Problem.invalid("a note needs a title") }
      return .json(["title": .string(title), "pinned": JSON(try members.optionalBoolean("pinned"))])
    }
    routes.on(.post, "/files/{name}") { request in
      let name: Name = try request.parameter("name")
      let count = try await request.save(to: folder.file(name.description), limit: 1 << 30)
      return .json(["bytes": JSON(count)], status: 201)
    }
    // end
    let server = try Server(
      Server.Configuration(listen: Authority(host: "127.0.0.1", port: 0)),
      routes: routes,
      sessions: NoSessions()
    )
    await server.stop()
  }

  @Test func converter() async throws {
    let folder = try ScratchFolder()
    let other = try Self.exchange()
    let exchange = "\(other.url)rates"
    // example: asking
    let client = try HTTPClient(configuration: HTTPClient.Configuration(version: "1.0"))
    let response = try await client.send(Request(url: exchange, maximumBody: 1 << 20))
    let answer = try JSON(parsing: response.body)
    // With its digits as they came: prices never become binary fractions.
    #expect(answer["price"]?.digits == "88.90210")
    // end
    // example: keeping
    let file = WholeFile(path: folder.file("sonde/converter.json"))
    try file.write(answer.bytes)
    let kept = try JSON(parsing: try file.read(atMost: 1 << 20))
    #expect(kept == answer)
    // end
    // example: watching
    let endpoint = Reachability.Endpoint(host: "127.0.0.1", port: 9)
    let monitor = try NetworkMonitor(NetworkMonitor.Configuration(endpoint: endpoint))
    let watching = Task {
      for await state in monitor.states() where !state.verdict.isOnline { client.giveUpAll() }
    }
    // end
    // example: letting in
    struct Sessions: SessionStore {
      let accounts: AccountStore

      func session(of token: String) async -> Session? {
        try? await accounts.session(of: Secret(token))
      }
    }
    let hub = EventHub()
    // In memory: a new start asks to log in anew.
    let accounts = try AccountStore(path: nil, membership: .alone) { end in
      for session in end.sessions { hub.endStreams(ofSession: session) }
    }
    var routes = Routes<Session>()
    routes.on(.post, "/session") { request in
      let link = Secret(try await request.members("link").string("link"))
      let opened = try await accounts.openSession(by: link)
      let cookie = request.sessionCookie
        .setting(opened.secret.text, for: AccountStore.sessionLifetime)
      return .json(["user": nil], status: 201).with("Set-Cookie", cookie)
    }
    routes.on(.get, "/events") { request, session in
      try await hub.stream(to: request, user: "", session: session.id) {
        [ServerEvent("rates", answer)]
      }
    }
    // end
    // example: serving
    var configuration = Server.Configuration(
      listen: Authority(host: "127.83.1.2", port: 0),
      cookieName: "converter_PORT"
    )
    configuration.report = { print($0) }
    let server = try Server(
      configuration,
      routes: routes,
      sessions: Sessions(accounts: accounts)
    )
    let link = try await accounts.makeOneTimeLink().secret.text
    print("\(server.url)#open=\(link)")
    // end
    let attempt = try await client.send(Request(url: "\(server.url)events"))
    #expect(attempt.status == 401)
    let body = JSON.object([("link", .string(link))]).bytes
    let type = [(name: "Content-Type", value: "application/json")]
    let url = "\(server.url)session"
    let opening = try await client.send(Request(url: url, method: .post, body: body, headers: type))
    #expect(opening.status == 201)
    watching.cancel()
    monitor.stop()
    await server.stop()
    await other.stop()
  }

  private static func exchange() throws -> Server {
    var routes = Routes<Never>()
    routes.on(.get, "/rates") { _ in .json(Array(#"{"price":88.90210}"#.utf8)) }
    let listen = Authority(host: "127.0.0.1", port: 0)
    return try Server(
      Server.Configuration(listen: listen),
      routes: routes,
      sessions: NoSessions()
    )
  }

  @Test func sessions() async throws {
    // example: SessionStore
    struct Visitors: SessionStore {
      func session(of token: String) async -> String? { token == "7f3a" ? "ada" : nil }
    }
    let hub = EventHub()
    var routes = Routes<String>()
    routes.on(.get, "/events") { request, user in
      try await hub.stream(to: request, user: user, session: user) {
        [ServerEvent("state", ["user": .string(user)])]
      }
    }
    hub.tell(ServerEvent("news", ["for": "ada"], owner: "ada"))
    // end
    let server = try Server(
      Server.Configuration(listen: Authority(host: "127.0.0.1", port: 0)),
      routes: routes,
      sessions: Visitors()
    )
    let client = try client()
    let refused = try await client.send(Request(url: "\(server.url)events"))
    #expect(refused.status == 401)
    await server.stop()
  }
}

/// A name without anything that a path could mean.
private struct Name: LosslessStringConvertible {
  let description: String
  init?(_ text: String) {
    guard !text.isEmpty, text.allSatisfy(\.isLetter) else { return nil }
    description = text
  }
}

import SondeAccounts
import SondeAddresses
import SondeReachability
import SondeSystem
import TestSupport
import Testing
import SondeTransfer
import SondeWeb
import SondeWebApp

@Suite(.timeLimit(.minutes(1))) struct WebAppExamples {
  @Test func converter() async throws {
    let folder = try ScratchFolder()
    let other = try Self.exchange()
    let exchange = "\(other.url)rates"
    // example: asking
    let client = try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "example/1.0"))
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
    let watched = try WatchedClient(of: exchange, .init(userAgent: "example/1.0"))
    let again = try await watched.send(Request(url: exchange, maximumBody: 1 << 20))
    #expect(again.status == 200)
    for await transition in watched.monitor.states() {
      // Pages show this as a banner.
      print(transition.serverEvent)
      break
    }
    // end
    // example: letting in
    let hub = EventHub()
    // In memory: a new start asks to log in anew.
    let accounts = try AccountStore(path: nil, membership: .alone) { hub.endStreams($0) }
    var routes = Routes<Session>()
    AccountAPI(accounts).add(to: &routes)
    routes.on(.get, "/api/v1/events") { request, session in
      try await hub.stream(to: request, user: "", session: session.id) {
        [ServerEvent("rates", answer)]
      }
    }
    // end
    // example: serving
    let configuration = Server.Configuration.local("127.83.1.2") { print($0) }
    let server = try Server(configuration, routes: routes, sessions: AccountSessions(accounts))
    let link = try await accounts.makeOneTimeLink().secret.text
    print("\(server.url)#open=\(link)")
    // end
    let attempt = try await client.send(Request(url: "\(server.url)api/v1/events"))
    #expect(attempt.status == 401)
    let body = JSON.object([("link", .string(link))]).bytes
    let type = [(name: "Content-Type", value: "application/json")]
    let url = "\(server.url)api/v1/session"
    let opening = try await client.send(Request(url: url, method: .post, body: body, headers: type))
    #expect(opening.status == 201)
    // example: accounts
    let people = try AccountStore(path: folder.file("sonde/gallery.db"), membership: .equals)
    #expect(try await people.users().isEmpty)
    var careful = HTTPClient.Configuration(userAgent: "example/1.0")
    careful.permitsAddress = { Address(bytes: $0)?.isPublic == true }
    let elsewhere = try WatchedClient(with: watched.monitor, careful)
    let refusal = await #expect(throws: TransferError.self) {
      try await elsewhere.send(Request(url: exchange))
    }
    #expect(refusal?.reason == .addressRefused)
    // end
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
}

import TestSupport
import Testing
import SondeTransfer
import SondeWeb

@Suite(.timeLimit(.minutes(1))) struct WebExamples {
  private func client() throws -> HTTPClient {
    try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "example/1.0"))
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

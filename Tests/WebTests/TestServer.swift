import SondeWeb

/// Sessions by their token.
struct FixedSessions: SessionStore {
  let users: [String: String]
  func session(of token: String) async -> String? { users[token] }
}

/// A server on loopback with routes of a test.
struct TestServer {
  let server: Server
  var port: Int { server.listening.port ?? 0 }
  var host: String { "\(server.listening)" }

  init(
    publicURL: String? = nil,
    limits: Limits = Limits(),
    _ addRoutes: (inout Routes<String>) -> Void
  ) throws {
    var configuration = Server.Configuration(
      listen: Authority(host: "127.0.0.1", port: 0),
      publicURL: publicURL.flatMap(PublicURL.init),
      cookieName: "test"
    )
    configuration.limits = limits
    var routes = Routes<String>()
    addRoutes(&routes)
    server = try Server(
      configuration,
      routes: routes,
      sessions: FixedSessions(users: ["secret": "anna", "other": "bert"])
    )
  }

  /// Sends a request and reads the answer to its end.
  func ask(_ line: String, _ headers: [String] = [], body: String? = nil) async throws -> RawAnswer
  {
    let client = try RawClient(port: port)
    let host = headers.contains { $0.hasPrefix("Host:") } ? [] : ["Host: \(host)"]
    let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
    let lines = ["\(line) HTTP/1.1"] + host + ["Connection: close"] + length + headers
    await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    return RawAnswer(await client.receiveAll())
  }
}

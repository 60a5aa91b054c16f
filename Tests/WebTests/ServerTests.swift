import Glibc
import SondeSystem
import TestSupport
import Testing
import SondeWeb

/// Told to clients, or not.
private enum Flaw: ProblemConvertible {
  case theirs, ours

  var problem: Problem? { self == .theirs ? .conflict("twice") : nil }
}

@Suite(.timeLimit(.minutes(1))) struct ServerTests {
  @Test func `an error says by itself what clients are told`() async throws {
    let test = try TestServer { routes in
      routes.on(.get, "/theirs") { _ in throw Flaw.theirs }
      routes.on(.get, "/ours") { _ in throw Flaw.ours }
    }
    let answer = try await test.ask("GET /theirs")
    #expect(answer.status == 409 && answer.body.contains("twice"))
    #expect(try await test.ask("GET /ours").status == 500)
    await test.server.stop()
  }

  @Test func `a handler's answer is sent with headers of safety`() async throws {
    let test = try TestServer { routes in
      routes.on(.get, "/things/{number}") { request in
        .json(["number": .integer(try request.parameter("number", as: Int64.self))])
      }
    }
    let answer = try await test.ask("GET /things/7")
    #expect(answer.status == 200)
    #expect(answer.body == #"{"number":7}"#)
    #expect(answer.headers["content-type"] == "application/json")
    #expect(answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["x-content-type-options"] == "nosniff")
    #expect(answer.headers["referrer-policy"] == "no-referrer")
    let policy = try #require(answer.headers["content-security-policy"])
    #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
    #expect(try await test.ask("GET /things/x").status == 404)
    #expect(try await test.ask("GET /").status == 404)
    let wrong = try await test.ask("POST /things/7", body: "")
    #expect(wrong.status == 405)
    #expect(wrong.headers["allow"] == "GET, HEAD, OPTIONS")
    #expect(wrong.headers["content-type"] == "application/problem+json")
    #expect(try await test.ask("OPTIONS /things/7").headers["allow"] == "GET, HEAD, OPTIONS")
    let head = try await test.ask("HEAD /things/7")
    #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "12")
    await test.server.stop()
  }

  @Test func `where nobody can listen, the error says so`() async throws {
    let test = try TestServer { _ in }
    let taken = Server.Configuration(listen: test.server.listening)
    #expect(throws: ServerError.listening(at: test.host, EADDRINUSE)) {
      try Server(taken, routes: Routes(), sessions: NoSessions())
    }
    let named = Server.Configuration(listen: Authority(host: "localhost", port: 0))
    #expect(throws: ServerError.address("localhost:0")) {
      try Server(named, routes: Routes(), sessions: NoSessions())
    }
    await test.server.stop()
  }

  @Test func `a page is served whatever its query, and to who follows a link`() async throws {
    let test = try TestServer { routes in
      routes.view("/", Asset(Array("<!doctype html>".utf8), type: "text/html; charset=utf-8"))
      routes.asset("/app.js", Asset(Array("1".utf8), type: "text/javascript"))
    }
    let link = [
      "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document",
    ]
    for path in ["/", "/?ip=8.8.8.8", "/?ip=1&ip=2", "/?ip=%"] {
      #expect(try await test.ask("GET \(path)", link).status == 200)
    }
    #expect(try await test.ask("GET /app.js", link).status == 403)
    #expect(try await test.ask("GET /app.js?a=1&a=2").status == 400)
    await test.server.stop()
  }

  @Test func `a route that takes a session needs one`() async throws {
    let test = try TestServer { routes in
      routes.on(.get, "/me") { _, user in .text(user) }
    }
    #expect(try await test.ask("GET /me").status == 401)
    #expect(try await test.ask("GET /me", ["Cookie: test=wrong"]).status == 401)
    #expect(try await test.ask("GET /me", ["Cookie: a=b; test=secret"]).body == "anna")
    await test.server.stop()
  }

  @Test func `JSON bodies are read strictly`() async throws {
    let test = try TestServer { routes in
      routes.on(.post, "/echo") { request in
        let members = try await request.members("text", "count")
        return .text(try members.string("text") + "\(try members.optionalInteger("count") ?? 0)")
      }
    }
    func post(_ body: String, type: String = "application/json; charset=utf-8") async throws
      -> RawAnswer
    {
      try await test.ask("POST /echo", ["Content-Type: \(type)"], body: body)
    }
    #expect(try await post(#"{"text":"a","count":3}"#).body == "a3")
    #expect(try await post(#"{"text":"a"}"#, type: "text/plain").status == 415)
    #expect(try await post(#"{"text":"a","other":1}"#).status == 400)
    #expect(try await post(#"{"text":"a","text":"b"}"#).status == 400)
    #expect(try await post(#"{"text":"a"#).status == 400)
    #expect(try await post("").status == 400)
    #expect(try await post(#"{"count":3}"#).status == 422)
    #expect(try await post(#"{"text":3}"#).status == 422)
    #expect(try await post("[]").status == 422)
    let long = String(repeating: "a", count: 70_000)
    #expect(try await post(#"{"text":"\#(long)"}"#).status == 413)
    #expect(try await post(#"{"text":"\#(String(repeating: long, count: 100))"}"#).status == 413)
    await test.server.stop()
  }

  @Test func `a body is streamed to a file, and one that is cut leaves none`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("upload")
    let test = try TestServer { routes in
      routes.on(.post, "/files") { request in
        .text("\(try await request.save(to: path, limit: 20 << 20))")
      }
    }
    let body = String(repeating: "0123456789", count: 1_000_000)
    #expect(try await test.ask("POST /files", body: body).body == "10000000")
    #expect(try folder.text("upload") == body)
    folder.removeAll()
    #expect(try await test.ask("POST /files", body: body + body + body).status == 413)
    #expect(folder.names == [])
    let client = try RawClient(port: test.port)
    await client.send(
      "POST /files HTTP/1.1\r\nHost: \(test.host)\r\nContent-Length: 100000\r\n\r\nabc"
    )
    try await waitUntil { !folder.names.isEmpty }
    client.finish()
    try await waitUntil { folder.names.isEmpty }
    await test.server.stop()
  }

  @Test func `a file is served once for each version, compressed where that is accepted`()
    async throws
  {
    let text = String(repeating: "body { color: red }\n", count: 500)
    let test = try TestServer { routes in
      routes.asset("/style.css", Asset(Array(text.utf8), type: "text/css; charset=utf-8"))
    }
    let plain = try await test.ask("GET /style.css")
    #expect(plain.body == text && plain.headers["content-encoding"] == nil)
    let tag = try #require(plain.headers["etag"])
    #expect(try await test.ask("GET /style.css", ["If-None-Match: \(tag)"]).status == 304)
    let packed = try await test.ask("HEAD /style.css", ["Accept-Encoding: br, gzip"])
    #expect(packed.headers["content-encoding"] == "gzip")
    #expect(packed.headers["etag"] != tag)
    #expect(Int(packed.headers["content-length"] ?? "").map { $0 < 1000 } == true)
    await test.server.stop()
  }

  @Test func `an answer is streamed as fast as it is read, and cut where its writer fails`()
    async throws
  {
    let test = try TestServer { routes in
      routes.on(.get, "/numbers") { _ in
        .stream(type: "text/plain") { writer in
          for number in 0..<100_000 { try await writer.write(Array("\(number)\n".utf8)) }
        }
      }
      routes.on(.get, "/half") { _ in
        .stream(type: "text/plain") { writer in
          try await writer.write(Array("half".utf8))
          throw CancellationError()
        }
      }
    }
    let whole = try await test.ask("GET /numbers")
    #expect(whole.body.hasSuffix("\r\n0\r\n\r\n") && whole.body.contains("99999\n"))
    let half = try await test.ask("GET /half")
    #expect(half.body.contains("half") && !half.body.hasSuffix("0\r\n\r\n"))
    await test.server.stop()
  }

  @Test func `a server stops in time, whatever clients and handlers do`() async throws {
    let test = try TestServer { routes in
      routes.on(.get, "/never") { _ in
        // Not cancelled with its handler.
        await Task.detached { try? await Task.sleep(for: .seconds(3)) }.value
        return .empty
      }
      routes.on(.get, "/stream") { _ in
        .stream(type: "text/plain") { writer in
          try await writer.write([65])
          try await Task.sleep(for: .seconds(1000))
        }
      }
    }
    var clients: [RawClient] = []
    for path in ["/never", "/stream", "/never", "/stream"] {
      let client = try RawClient(port: test.port)
      await client.send("GET \(path) HTTP/1.1\r\nHost: \(test.host)\r\n\r\n")
      clients.append(client)
    }
    clients.append(try RawClient(port: test.port))
    #expect(await clients[1].receive(until: "A").contains("200 OK"))
    let start = ContinuousClock.now
    await test.server.stop()
    #expect(.now - start < .seconds(2))
    for client in clients { _ = await client.receiveAll() }
    #expect(throws: SystemError.self) { try RawClient(port: test.port) }
  }
}

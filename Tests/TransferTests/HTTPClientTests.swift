import Testing

@testable import SondeTransfer

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
  @Test func `a GET brings status, body, header and the address that answered`() async throws {
    let server = try LoopbackServer.answering { request in
      answer("\(request.method) \(request.target)", headers: ["X-Rl: 44", "Content-Type: text/x"])
    }
    let response = try await makeClient().send(Request(url: server.url + "/json/8.8.8.8?a=b"))
    #expect(response.status == 200)
    #expect(response.text == "GET /json/8.8.8.8?a=b")
    #expect(response.header("x-RL") == "44")
    #expect(response.contentType == "text/x")
    #expect(response.remoteAddress == "127.0.0.1")
    #expect(response.httpVersion == .http1)
  }

  @Test func `a POST carries body and header fields, and the program's name`() async throws {
    let server = try LoopbackServer.answering { request in
      let names = ["user-agent", "content-type", "accept", "authorization", "expect"]
      let fields = names.map { request.headers[$0] ?? "-" }
      let text = String(decoding: request.body, as: UTF8.self)
      return answer((["\(request.method) \(text)"] + fields).joined(separator: "|"))
    }
    let request = Request(
      url: server.url,
      method: .post,
      body: Array("[1]".utf8),
      headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
      bearerToken: "t0ken"
    )
    let response = try await makeClient().send(request)
    #expect(
      response.text
        == "POST [1]|sonde/1.2.3|application/json|application/json|Bearer t0ken|-"
    )
  }

  @Test func `nothing of a request stays for the next on the same connection`() async throws {
    let server = try LoopbackServer.answering { request in
      let fields = ["authorization", "x-mark", "content-length"].map { request.headers[$0] ?? "-" }
      return answer("\(request.method) \(fields)")
    }
    let client = try makeClient()
    let full = Request(
      url: server.url,
      method: .post,
      body: [1, 2, 3],
      headers: [("X-Mark", "1")],
      bearerToken: "t0ken"
    )
    _ = try await client.send(full)
    #expect(try await client.send(Request(url: server.url)).text == #"GET ["-", "-", "-"]"#)
    let empty = try await client.send(Request(url: server.url, method: .post))
    #expect(empty.text == #"POST ["-", "-", "0"]"#)
    #expect(server.connectionCount == 1)
  }

  @Test func `a large body goes out whole and comes back whole`() async throws {
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
        connection.write(request.body)
      }
    }
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let request = Request(url: server.url, method: .post, body: body)
    let response = try await makeClient().send(request)
    #expect(response.body == body)
    #expect(response.body.capacity >= body.count + Response.padding)
  }

  @Test func `requests in a row share one connection`() async throws {
    let server = try LoopbackServer.answering { _ in answer("ok") }
    let client = try makeClient()
    for _ in 0..<50 { _ = try await client.send(Request(url: server.url)) }
    #expect(server.connectionCount == 1)
  }

  @Test func `a thousand requests at once are all answered over the connections allowed`()
    async throws
  {
    let server = try LoopbackServer.answering { request in answer(request.target) }
    let client = try makeClient(maximumConnections: 6)
    let url = server.url
    let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        group.addTask {
          try await client.send(Request(url: "\(url)/\(number)")).text == "/\(number)"
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
    }
    #expect(wrong == 0)
    #expect((1...6).contains(server.connectionCount))
  }

  @Test func `a fresh connection is opened when asked for`() async throws {
    let server = try LoopbackServer.answering { _ in answer("ok") }
    let client = try makeClient()
    _ = try await client.send(Request(url: server.url))
    _ = try await client.send(Request(url: server.url, isFreshConnection: true))
    #expect(server.connectionCount == 2)
  }

  @Test func `dropped connections are not used again and requests under way go on`() async throws {
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        // One whose answer comes in two parts, the second when it is asked for on another connection.
        if request.target == "/slow" { Gate.shared.wait() }
        connection.write(answer(request.target))
      }
    }
    let client = try makeClient()
    let url = server.url
    _ = try await client.send(Request(url: url))
    async let slow = client.send(Request(url: url + "/slow"))
    await Gate.shared.waitUntilReached()
    client.dropIdleConnections()
    #expect(try await client.send(Request(url: url + "/after")).text == "/after")
    #expect(server.connectionCount == 2)
    Gate.shared.open()
    #expect(try await slow.text == "/slow")
    _ = try await client.send(Request(url: url))
    #expect(server.connectionCount == 2)
  }

  @Test func `a redirect is handed over, not followed`() async throws {
    let server = try LoopbackServer.answering { request in
      request.target == "/"
        ? answer("", status: "302 Found", headers: ["Location: /login"]) : answer("login")
    }
    let response = try await makeClient().send(Request(url: server.url))
    #expect(response.status == 302)
    #expect(response.header("location") == "/login")
    #expect(response.looksLikeLoginPage)
  }

  @Test(arguments: [400, 404, 429, 500, 503]) func `a status is no error`(status: Int) async throws
  {
    let server = try LoopbackServer.answering { _ in answer("no", status: "\(status) No") }
    #expect(try await makeClient().send(Request(url: server.url)).status == status)
  }

  @Test(arguments: ["", "a/1\r\nX: y", "a/1\u{0}b", "a/1\u{7f}"])
  func `a User-Agent that is no header field's value is refused`(name: String) {
    #expect(throws: TransferError.self) {
      try HTTPClient(configuration: HTTPClient.Configuration(userAgent: name))
    }
  }

  @Test func `what does not fit in a URL or a header field is refused before anything is sent`()
    async throws
  {
    let client = try makeClient()
    let requests = [
      Request(url: "ip-api.com/batch"), Request(url: "ftp://127.0.0.1/"), Request(url: ""),
      Request(url: "http://127.0.0.1/\u{0}x"), Request(url: "http://127.0.0.1/a b"),
      Request(url: "http://127.0.0.1/", headers: [("A\r\nB", "1")]),
      Request(url: "http://127.0.0.1/", headers: [("A", "1\r\nB: 2")]),
      Request(url: "http://127.0.0.1/", headers: [("authorization", "Bearer x")]),
      Request(url: "http://127.0.0.1/", headers: [("Host", "other.example")]),
      Request(url: "http://127.0.0.1/", headers: [("content-length", "5")]),
      Request(url: "http://127.0.0.1/", headers: [("Transfer-Encoding", "chunked")]),
      Request(url: "http://127.0.0.1/", bearerToken: "a\nb"),
      Request(url: "http://127.0.0.1/", bearerToken: ""),
    ]
    for request in requests {
      let reason = await failure(of: request, from: client)?.reason
      guard case .misconfigured? = reason else {
        Issue.record("\(request.url.debugDescription): \(String(describing: reason))")
        continue
      }
    }
  }
}

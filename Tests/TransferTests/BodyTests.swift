import Glibc
import SondeSystem
import Testing

@testable import SondeTransfer

@Suite(.timeLimit(.minutes(1))) struct BodyTests {
  /// "sonde sonde sonde " twenty times, by gzip.
  static let compressed: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0xce, 0xcf, 0x4b,
    0x49, 0x55, 0x28, 0x1e, 0x25, 0x69, 0x4c, 0x02, 0x00, 0x4d, 0xfe, 0x0c, 0x4d, 0x68,
    0x01, 0x00, 0x00,
  ]

  @Test func `a chunked body is put together`() async throws {
    let server = try LoopbackServer.answering { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n8\r\ndefghijk\r\n0\r\n\r\n"
    }
    let client = try makeClient()
    #expect(try await client.send(Request(url: server.url)).text == "abcdefghijk")
    #expect(try await client.send(Request(url: server.url)).text == "abcdefghijk")
    #expect(server.connectionCount == 1)
  }

  @Test func `the body of a 200 goes to a file if one is given, no other does`() async throws {
    let body = String(repeating: "sonde ", count: 50_000)
    for status in [200, 404] {
      let server = try LoopbackServer.answering { _ in
        "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
      }
      var request = Request(url: server.url)
      let file = try TemporaryFile.open()
      request.destination = file
      let response = try await makeClient().send(request)
      #expect(response.status == status && response.body.isEmpty)
      #expect(try file.status().size == (status == 200 ? body.utf8.count : 0))
      request.maximumBody = body.utf8.count - 1
      #expect(await failure(of: request, from: try makeClient())?.reason == .bodyTooLarge)
      request.destination = try Descriptor(opening: "/dev/full", O_WRONLY)
      request.maximumBody = body.utf8.count
      guard status == 200 else { continue }
      let reason = await failure(of: request, from: try makeClient())?.reason
      #expect(reason == .notStored(SystemError(ENOSPC)))
    }
  }

  @Test func `where the status alone matters, a body may be too large, broken off or late`()
    async throws
  {
    let heads = [
      "Content-Length: 9\r\n\r\nshort", "\r\n" + String(repeating: "x", count: 9000), "\r\n",
      // Lines that end with LF alone (RFC 9112 §2.2).
      "Content-Length: 9\n\nshort", "Content-Length: 9\r\n\nshort",
    ]
    for (index, head) in heads.enumerated() {
      let server = try LoopbackServer { connection in
        _ = connection.readRequest()
        connection.write("HTTP/1.1 404 Gone\r\n" + head)
        if index == 2 { connection.waitForClose() }
      }
      var request = Request(url: server.url, timeout: .milliseconds(300), maximumBody: 100)
      if index != 1 { request.maximumBody = 10_000 }
      #expect(await failure(of: request, from: try makeClient()) != nil)
      request.acceptsPartialBody = true
      let response = try await makeClient().send(request)
      #expect(response.status == 404 && response.body.count <= 100)
      if head.hasSuffix("short") { #expect(response.text == "short") }
    }
  }

  @Test func `an interim answer alone, or a part of a status line, is none`() async throws {
    for text in ["HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 20", ""] {
      let server = try LoopbackServer { connection in
        _ = connection.readRequest()
        connection.write(text)
      }
      var request = Request(url: server.url)
      request.acceptsPartialBody = true
      #expect(await failure(of: request, from: try makeClient()) != nil)
    }
  }

  @Test func `a body that ends with the connection is complete`() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\n\r\nto the end")
    }
    #expect(try await makeClient().send(Request(url: server.url)).text == "to the end")
  }

  @Test func `a body without bytes is empty and still has room behind it`() async throws {
    let server = try LoopbackServer.answering { _ in "HTTP/1.1 204 No Content\r\n\r\n" }
    let response = try await makeClient().send(Request(url: server.url))
    #expect(response.status == 204 && response.body.isEmpty)
    #expect(response.body.capacity >= Response.padding)
  }

  @Test func `an interim answer leaves nothing behind`() async throws {
    let server = try LoopbackServer.answering { _ in
      "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" + answer("ok", headers: ["X-Late: 2"])
    }
    let response = try await makeClient().send(Request(url: server.url))
    #expect(response.status == 200)
    #expect(response.header("x-early") == nil)
    #expect(response.header("x-late") == "2")
  }

  @Test func `compressed answers are asked for and unpacked`() async throws {
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        guard request.headers["accept-encoding"]?.contains("gzip") == true else { return }
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
        connection.write("\(head)\(BodyTests.compressed.count)\r\n\r\n")
        connection.write(BodyTests.compressed)
      }
    }
    let response = try await makeClient().send(Request(url: server.url))
    #expect(response.text == String(repeating: "sonde sonde sonde ", count: 20))
  }

  @Test func `broken compression is a malformed answer`() async throws {
    let server = try LoopbackServer.answering { _ in
      answer("this is not gzip", headers: ["Content-Encoding: gzip"])
    }
    let error = await failure(of: Request(url: server.url), from: try makeClient())
    #expect(error?.reason == .malformedAnswer("its compression is broken"))
  }

  @Test func `an answer that is not HTTP is malformed`() async throws {
    let server = try LoopbackServer.answering { _ in "SSH-2.0-OpenSSH_9.2\r\n\r\n" }
    let error = await failure(of: Request(url: server.url), from: try makeClient())
    #expect(error?.reason == .malformedAnswer("not HTTP"))
    #expect(error?.evidence == .open)
  }

  @Test func `a body at its limit is taken, one byte more is not`() async throws {
    let server = try LoopbackServer.answering { request in
      let body = String(repeating: "x", count: request.target == "/over" ? 101 : 100)
      return answer(body)
    }
    let client = try makeClient()
    let exact = Request(url: server.url, maximumBody: 100)
    #expect(try await client.send(exact).body.count == 100)
    let over = Request(url: server.url + "/over", maximumBody: 100)
    #expect(await failure(of: over, from: client)?.reason == .bodyTooLarge)
    #expect(try await client.send(exact).body.count == 100)
  }

  @Test func `the limit holds for endless and for compressed bodies`() async throws {
    let endless = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      // More than the sockets' buffers hold, but an end, should the client never give up.
      for _ in 0..<200 { connection.write([UInt8](repeating: 0x20, count: 100_000)) }
    }
    let client = try makeClient()
    let request = Request(url: endless.url, maximumBody: 1_000_000)
    #expect(await failure(of: request, from: client)?.reason == .bodyTooLarge)

    let packed = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
      connection.write(BodyTests.compressed)
    }
    let small = Request(url: packed.url, maximumBody: 359)
    #expect(await failure(of: small, from: client)?.reason == .bodyTooLarge)
  }

  @Test func `a header section without end is given up`() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\n")
      let field = "X-Filler: " + String(repeating: "y", count: 1000) + "\r\n"
      for _ in 0..<2000 { connection.write(field) }
    }
    let error = await failure(of: Request(url: server.url), from: try makeClient())
    #expect(error?.reason == .bodyTooLarge)
  }
}

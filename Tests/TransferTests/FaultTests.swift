import Foundation
import Glibc
import Testing

@testable import SondeTransfer

/// Networks and servers that fail, and what the client makes of it.
@Suite(.timeLimit(.minutes(1))) struct FaultTests {
  @Test func `a port where nobody listens is refused and proves the way open`() async throws {
    let port = try LoopbackServer.unusedPort()
    let request = Request(url: "http://127.0.0.1:\(port)/path?key=s3cret")
    let error = await failure(of: request, from: try makeClient())
    #expect(
      error
        == TransferError(.connectionRefused, phase: .connecting, host: "127.0.0.1", port: port)
    )
    #expect(error?.description == "127.0.0.1:\(port): connection refused")
    #expect(error?.evidence == .open)
  }

  @Test func `a name that does not exist is told apart from a refusal`() async throws {
    let request = Request(url: "http://name.invalid/", timeout: .seconds(5))
    let error = await failure(of: request, from: try makeClient())
    #expect(error?.reason == .couldNotResolve)
    #expect(error?.phase == .resolving)
    #expect(error?.evidence?.isLoss == true)
  }

  @Test func `the name of a proxy that does not exist is told too`() async throws {
    let client = try makeClient(proxy: "http://proxy.invalid:3128")
    let request = Request(url: "http://127.0.0.1/", timeout: .seconds(5))
    #expect(await failure(of: request, from: client)?.reason == .couldNotResolve)
  }

  @Test func `connecting in vain ends with the connect timeout`() async throws {
    let server = try LoopbackServer(backlog: 0, handler: nil)
    let fillers = (0..<4).map { _ in LoopbackServer.connectWithoutWaiting(port: server.port) }
    defer { for descriptor in fillers { close(descriptor) } }
    let client = try makeClient()
    let bounds: [(total: Duration, connect: Duration)] = [
      (.seconds(20), .milliseconds(200)), (.milliseconds(200), .seconds(20)),
    ]
    for bound in bounds {
      let request = Request(url: server.url, timeout: bound.total, connectTimeout: bound.connect)
      var error: TransferError?
      let elapsed = await time { error = await failure(of: request, from: client) }
      #expect(error?.reason == .connectTimedOut)
      #expect(error?.phase == .connecting)
      #expect(error?.evidence?.isLoss == true)
      #expect(elapsed >= .milliseconds(190) && elapsed < .seconds(10))
    }
  }

  @Test func `a server that never answers is timed out, which proves nothing`() async throws {
    let server = try LoopbackServer { $0.waitForClose() }
    let request = Request(url: server.url, timeout: .milliseconds(200))
    let error = await failure(of: request, from: try makeClient())
    #expect(error?.reason == .timedOut)
    #expect(error?.phase == .waiting)
    #expect(error != nil && error?.evidence == nil)
  }

  @Test func `a pooled connection that falls silent is a time-out as well`() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write(answer("once"))
      connection.waitForClose()
    }
    let client = try makeClient()
    _ = try await client.send(Request(url: server.url))
    let error = await failure(
      of: Request(url: server.url, timeout: .milliseconds(200)),
      from: client
    )
    #expect(error?.reason == .timedOut)
    #expect(error?.phase == .waiting)
    #expect(server.connectionCount == 1)
  }

  @Test func `an answer that stops half-way is timed out in the middle`() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      connection.waitForClose()
    }
    let request = Request(url: server.url, timeout: .milliseconds(200))
    let error = await failure(of: request, from: try makeClient())
    #expect(error?.reason == .timedOut)
    #expect(error?.phase == .receiving)
  }

  @Test func `a TLS handshake that hangs counts as connecting`() async throws {
    let server = try LoopbackServer { $0.waitForClose() }
    let url = "https://127.0.0.1:\(server.port)/"
    let request = Request(url: url, connectTimeout: .milliseconds(200))
    let error = await failure(of: request, from: try makeClient())
    #expect(error?.reason == .connectTimedOut)
    #expect(error?.phase == .securing)
  }

  @Test func `a server without TLS is a TLS failure`() async throws {
    let server = try LoopbackServer { connection in
      connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
      connection.waitForClose()
    }
    let request = Request(url: "https://127.0.0.1:\(server.port)/")
    let error = await failure(of: request, from: try makeClient())
    guard case .tls? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.evidence == .open)
  }

  @Test func `a connection closed in the middle of a body is lost`() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    }
    let error = await failure(of: Request(url: server.url), from: try makeClient())
    #expect(error?.reason == .connectionLost)
    #expect(error?.phase == .receiving)
    #expect(error?.evidence == .open)
  }

  @Test func `a chunked body without its end is lost`() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
    }
    let error = await failure(of: Request(url: server.url), from: try makeClient())
    #expect(error?.reason == .connectionLost)
  }

  @Test(arguments: [true, false]) func `a connection ended without an answer is lost`(
    byReset: Bool
  ) async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      if byReset { connection.reset() }
    }
    let error = await failure(of: Request(url: server.url), from: try makeClient())
    #expect(error?.reason == .connectionLost)
    #expect(error?.phase == .waiting)
  }

  @Test func `a pooled connection that has died is replaced without an error`() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.write(answer("once"))
    }
    let client = try makeClient()
    for _ in 0..<5 {
      #expect(try await client.send(Request(url: server.url)).text == "once")
      // Time for its end to arrive.
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(server.connectionCount == 5)
  }

  @Test func `a request is written once, and no second time by itself`() async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(answer("once"))
      // The next one on this connection is read, and then the connection ends.
      _ = connection.readRequest()
    }
    let client = try makeClient()
    _ = try await client.send(Request(url: server.url))
    let error = await failure(of: Request(url: server.url + "/second"), from: client)
    #expect(error?.reason == .staleConnection)
    #expect(error?.wasSent == true)
    #expect(server.connectionCount <= 2)
    let fresh = Request(url: server.url + "/third", isFreshConnection: true)
    #expect(try await client.send(fresh).text == "once")
  }

  @Test(arguments: ["lines", "line", "gzip"])
  func `what fails in the middle of an answer was sent, and says what failed`(
    kind: String
  ) async throws {
    let server = try LoopbackServer.answering { _ in
      switch kind {
      case "lines":
        let lines = (0..<3000).map { "X-\($0): " + String(repeating: "x", count: 90) }
        return answer("x", headers: lines)
      case "line": return answer("x", headers: ["X: " + String(repeating: "x", count: 250_000)])
      default: return answer("this is no gzip", headers: ["Content-Encoding: gzip"])
      }
    }
    let error = await failure(of: Request(url: server.url), from: try makeClient())
    #expect(error?.wasSent == true)
    #expect(error.map { !$0.description.contains("could not connect") } == true)
    #expect(error.map { !$0.description.contains("memory") } == true)
  }

  @Test func `a request whose turn comes late still has its full time`() async throws {
    let server = try LoopbackServer.answering { request in
      if request.target == "/hold" { Thread.sleep(forTimeInterval: 0.3) }
      return answer("ok")
    }
    let client = try makeClient(maximumConnections: 1)
    let url = server.url
    async let first = client.send(Request(url: url + "/hold"))
    async let second = client.send(Request(url: url + "/hold"))
    async let third = client.send(Request(url: url, timeout: .milliseconds(400)))
    let texts = try await [first.text, second.text, third.text]
    #expect(texts == ["ok", "ok", "ok"])
    #expect(server.connectionCount == 1)
  }
}

import Foundation
import Testing

@testable import SondeTransfer

@Suite struct EndpointTests {
  @Test func `only scheme, host and port of a URL are ever shown`() {
    let table = [
      "https://api.example/batch?key=s3cret": "https://api.example",
      "http://user:s3cret@api.example:8080/s3cret?token=s3cret#s3cret": "http://api.example:8080",
      "HTTPS://API.Example:443/?s3cret": "https://api.example",
      "http://[::1]:80/s3cret": "http://[::1]",
      "https://[2001:db8::1]:8443/": "https://[2001:db8::1]:8443",
      "s3cret": "(not an http URL)",
      "ftp://api.example/s3cret": "(not an http URL)",
      "https://?key=s3cret": "(not an http URL)",
    ]
    for (url, shown) in table { #expect(redacted(url: url) == shown) }
  }

  @Test func `a host is loopback only where no name server is asked`() throws {
    let loopback = [
      "http://127.0.0.1/", "http://127.255.0.9:99/", "http://localhost/", "http://LOCALHOST:1/",
      "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://127.1/", "http://0x7f000001/",
      "http://2130706433/", "http://user:pw@localhost/",
    ]
    let elsewhere = [
      "http://127.0.0.1.example/", "http://127.0.0.1@example/", "http://localhost.example/",
      "http://localhost./", "http://128.0.0.1/", "http://[::2]/", "http://127.0.0.256/",
      "http://[::ffff:8.8.8.8]/", "http://127.example/", "http://127.0.0.+1/",
      "http://example/127.0.0.1",
      "http://127.0.0.1%2eexample/", "http://example#@127.0.0.1/",
    ]
    #expect(try loopback.filter { try Endpoint(url: $0)?.isLoopback != true } == [])
    #expect(try elsewhere.filter { try Endpoint(url: $0)?.isLoopback == true } == [])
  }
}

@Suite(.timeLimit(.minutes(1))) struct SecrecyTests {
  private let secret = "s3cret"

  @Test func `a token is refused unencrypted except to loopback`() async throws {
    let client = try makeClient()
    let urls = ["http://192.0.2.1/", "http://api.invalid/", "http://127.0.0.1.invalid/"]
    for url in urls {
      let request = Request(url: url, bearerToken: secret, timeout: .seconds(2))
      let error = await failure(of: request, from: client)
      #expect(error?.reason == .misconfigured("refused to send a token unencrypted"))
      #expect(error?.phase == .preparing)
    }
  }

  @Test func `a token for loopback goes past the proxy, other requests through it`() async throws {
    let proxy = try LoopbackServer.answering { _ in answer("proxy") }
    let server = try LoopbackServer.answering { request in
      answer(request.headers["authorization"] ?? "none")
    }
    let client = try makeClient(proxy: proxy.url)
    #expect(try await client.send(Request(url: server.url)).text == "proxy")
    let request = Request(url: server.url, bearerToken: secret)
    #expect(try await client.send(request).text == "Bearer s3cret")
    #expect(try await client.send(Request(url: server.url)).text == "proxy")
  }

  @Test func `a proxy's refusal to connect is no loss of the network`() async throws {
    let proxy = try LoopbackServer.answering { _ in answer("", status: "403 Forbidden") }
    let request = Request(url: "https://api.example/?key=s3cret", bearerToken: secret)
    let error = await failure(of: request, from: try makeClient(proxy: proxy.url))
    #expect(error?.reason == .proxyAnswered(status: 403))
    #expect(error?.evidence?.isLoss != true)
    #expect(error?.description.contains(secret) == false)
  }

  @Test func `nothing printed holds a token, a query or a path`() async throws {
    let url = "http://user:s3cret@127.0.0.1:\(try LoopbackServer.unusedPort())/s3cret?key=s3cret"
    let request = Request(url: url, body: Array(secret.utf8), bearerToken: secret)
    var dumped = ""
    dump(request, to: &dumped)
    var texts = [dumped, "\(request)", String(reflecting: request), String(describing: [request])]
    let client = try makeClient()
    for bad in [request, Request(url: "nonsense?s3cret"), Request(url: "http://[/?s3cret")] {
      guard let error = await failure(of: bad, from: client) else { continue }
      dump(error, to: &dumped)
      texts += [dumped, "\(error)", String(reflecting: error), error.localizedDescription]
    }
    #expect(texts.filter { $0.contains(secret) } == [])
  }
}

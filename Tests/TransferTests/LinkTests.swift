import Testing

@testable import SondeTransfer

@Suite struct LinkTests {
  private let url = "https://pictures.example/v2/list?page=4&limit=15"

  private func response(_ fields: String..., status: Int = 200) -> Response {
    let header = "HTTP/1.1 \(status) X\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n"
    return Response(status: status, body: [], rawHeader: Array(header.utf8))
  }

  @Test func `a link is found by its relation, however it is written`() {
    let next = "https://pictures.example/v2/list?page=5&limit=15"
    let fields = [
      "Link: <\(next)>; rel=\"next\"", "link:<\(next)>;rel=next",
      "LINK: <\(next)> ; REL = \"Next\"",
      "Link: <https://pictures.example/3>; rel=\"prev\", <\(next)>; rel=\"next\"",
      "Link: <\(next)>; title=\"a; b, \\\"c\\\" <d>\"; rel=\"last next\"",
      "Link: <?page=5&limit=15>; rel=next",
      "Link: </v2/list?page=5&limit=15>; rel=next", "Link: <\(next)>; rel=next; rel=prev",
    ]
    for field in fields { #expect(response(field).link("next", from: url) == next, "\(field)") }
    let second = response("Link: <a>; rel=prev", "X: y", "Link: <\(next)>; rel=next")
    #expect(second.link("next", from: url) == next)
  }

  @Test(arguments: [
    "X: y", "Link:", "Link: ,,", "Link: <a", "Link: a; rel=next", "Link: <a>",
    "Link: <a>; rel=prev",
    "Link: <a>; title=\"rel=next", "Link: <a>; rel=prev; rel=next", "Link: <a b>; rel=next",
    "Link: <gopher://x/>; rel=next", "Link: <a>; rel", "Link: <a>; rel=\"\\",
  ])
  func `what is no link is none`(field: String) {
    #expect(response(field).link("next", from: url) == nil)
  }

  @Test func `a redirect is followed as a browser would`() {
    let table = [
      "https://other.example/x": "https://other.example/x", "/x?y": "https://pictures.example/x?y",
      "x": "https://pictures.example/v2/x", "//other.example/": "https://other.example/",
      "http://127.0.0.1/": "http://127.0.0.1/", "../x": "https://pictures.example/x",
    ]
    for (location, target) in table {
      let response = response("Location: \(location)", status: 302)
      #expect(response.redirection(from: url) == target)
    }
    for location in ["file:///etc/passwd", "a b", "javascript:alert(1)"] {
      #expect(response("Location: \(location)", status: 301).redirection(from: url) == nil)
    }
    #expect(response(status: 302).redirection(from: url) == nil)
    #expect(response("Location: /x", status: 200).redirection(from: url) == nil)
    #expect(response("Location: /x", status: 304).redirection(from: url) == nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct PermittedAddressTests {
  private func client(
    _ permits: @escaping @Sendable ([UInt8]) -> Bool
  ) throws -> HTTPClient {
    var configuration = HTTPClient.Configuration(userAgent: "sonde/1.0")
    configuration.permitsAddress = permits
    return try HTTPClient(configuration: configuration)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "0x7f000001", "[::ffff:127.0.0.1]"])
  func `an address that is refused is not connected to, by whatever name`(host: String) async throws
  {
    let server = try LoopbackServer.answering { _ in answer("here") }
    let refusing = try client { bytes in bytes.suffix(4) != [127, 0, 0, 1] && bytes.last != 1 }
    let request = Request(url: "http://\(host):\(server.port)/")
    let error = await failure(of: request, from: refusing)
    #expect(error?.reason == .addressRefused)
    #expect(error?.evidence == nil)
    #expect(server.connectionCount == 0)
  }

  @Test func `an address that is permitted is connected to`() async throws {
    let server = try LoopbackServer.answering { _ in answer("here") }
    let asking = try client { $0 == [127, 0, 0, 1] }
    for _ in 0..<2 { #expect(try await asking.send(Request(url: server.url)).text == "here") }
    #expect(server.connectionCount == 1)
    let error = await failure(of: Request(url: "http://127.0.0.1:9/"), from: asking)
    #expect(error?.reason == .connectionRefused)
  }
}

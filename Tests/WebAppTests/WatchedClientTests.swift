import SondeReachability
import Testing
import SondeTransfer

@testable import SondeWebApp

@Suite(.timeLimit(.minutes(1))) struct WatchedClientTests {
  private let configuration = HTTPClient.Configuration(userAgent: "sonde/1.0")

  @Test(arguments: ["", "x", "ftp://example.org/", "file:///etc/passwd"])
  func `what is no URL is refused`(url: String) {
    #expect(throws: TransferError.self) { try WatchedClient(of: url, configuration) }
  }

  @Test func `a name without an address is a lost network for the server itself alone`()
    async throws
  {
    let request = Request(url: "http://pictures.invalid/")
    let client = try WatchedClient(of: request.url, configuration)
    await #expect(throws: NetworkLost.self) { try await client.send(request) }
    let watched = try WatchedClient(of: "http://127.0.0.1:9/", configuration)
    let other = try WatchedClient(with: watched.monitor, configuration)
    await #expect(throws: TransferError.self) { try await other.send(request) }
  }

  @Test func `a refusal is the server's fault`() async throws {
    let client = try WatchedClient(of: "http://127.0.0.1:9/", configuration)
    await #expect(throws: TransferError.self) {
      try await client.send(Request(url: "http://127.0.0.1:9/"))
    }
  }
}

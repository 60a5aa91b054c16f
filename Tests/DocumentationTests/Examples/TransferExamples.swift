import Testing
import SondeTransfer

@Suite struct TransferExamples {
  @Test(.timeLimit(.minutes(1))) func client() async throws {
    let simulator = try Simulator()
    // example: HTTPClient
    let client = try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "example/1.0"))
    let request = Request(url: simulator.ipAPI + "/json/8.8.8.8", timeout: .seconds(5))
    let response = try await client.send(request)
    #expect(response.status == 200)
    #expect(response.header("X-Rl") == "44")
    #expect(response.contentType?.hasPrefix("application/json") == true)
    // end
  }

  @Test(.timeLimit(.minutes(1))) func errors() async throws {
    // example: TransferError
    let client = try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "example/1.0"))
    let error = await #expect(throws: TransferError.self) {
      try await client.send(Request(url: "http://127.0.0.1:9/"))
    }
    #expect(error?.reason == .connectionRefused)
    #expect(error?.wasSent == false)
    // The far end refused, so the path to it is open.
    #expect(error?.evidence == .open)
    // end
  }

  @Test(.timeLimit(.minutes(1))) func permittedAddresses() async throws {
    let simulator = try Simulator()
    // example: permitsAddress
    var configuration = HTTPClient.Configuration(userAgent: "example/1.0")
    configuration.permitsAddress = { $0.first != 127 }
    let careful = try HTTPClient(configuration: configuration)
    let refusal = await #expect(throws: TransferError.self) {
      try await careful.send(Request(url: simulator.ipAPI))
    }
    #expect(refusal?.reason == .addressRefused)
    // end
  }

  @Test func secrets() {
    // example: Request
    var request = Request(url: "https://pro.ip-api.com/json/8.8.8.8?key=secret")
    request.hasKeyInURL = true
    #expect(!"\(request)".contains("secret"))
    // end
  }

  @Test func proxyRules() throws {
    // example: ProxyRules
    let rules = try ProxyRules(
      environment: ["http_proxy": "http://127.0.0.1:3128", "no_proxy": "ipinfo.io"]
    )
    let asked = try #require(try Endpoint(url: "http://ip-api.com"))
    let spared = try #require(try Endpoint(url: "http://ipinfo.io"))
    #expect(rules.proxy(to: asked, withSecret: false)?.port == 3128)
    #expect(rules.proxy(to: spared, withSecret: false) == nil)
    // end
  }
}

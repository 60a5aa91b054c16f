import SondeAddresses
import TestSupport
import Testing
import SondeSystem
import SondeTransfer

@testable import SondeAsking
@testable import SondeProviders
@testable import SondeRecords

@Suite(.timeLimit(.minutes(1))) struct RemoteProviderTests {
  typealias Reply = ScriptedServer.Reply

  private let three = ["8.8.8.1", "8.8.8.2", "8.8.8.3"]

  private func lines(_ provider: RemoteProvider, _ texts: [String]) async throws -> [String] {
    try await provider.lookUp(texts.map(address)).lines
  }

  private func ok(_ texts: [String]) -> [String] { texts.map { "\($0) ok US" } }

  @Test func `a batch is one request`() async throws {
    let server = try ScriptedServer { question, _ in .ipAPI(question.addresses) }
    let provider = try provider(server)
    #expect(try await lines(provider, three) == ok(three))
    #expect(server.questions.map(\.addresses) == [three])
    #expect(provider.budget.sent == 1)
  }

  @Test func `a batch that keeps failing is taken apart around the bad address`() async throws {
    let texts = (1...16).map { "8.8.8.\($0)" }
    let server = try ScriptedServer { question, _ in
      question.addresses.contains("8.8.8.11") ? Reply(status: 500) : .ipAPI(question.addresses)
    }
    let answers = try await lines(provider(server), texts)
    #expect(answers.filter { !$0.hasSuffix("ok US") }.count == 1)
    #expect(answers[10].hasPrefix("8.8.8.11 failed ip-api: HTTP 500"))
  }

  @Test func `a provider that is down is not asked for every address`() async throws {
    let texts = (1...100).map { "8.8.8.\($0)" }
    // A fault says nothing of the quota, so an answer opens the window first.
    let server = try ScriptedServer { question, number in
      number == 0 ? .ipAPI(question.addresses) : Reply(status: 503)
    }
    let provider = try provider(server, retries: 2)
    #expect(try await lines(provider, ["9.9.9.9"]) == ok(["9.9.9.9"]))
    let answers = try await lines(provider, texts)
    #expect(answers.count == 100)
    #expect(answers.allSatisfy { $0.contains(" failed ip-api: HTTP 503") })
    #expect(server.questions.count < 26)
  }

  @Test func `what an answer leaves out is asked again, and it alone`() async throws {
    let server = try ScriptedServer { question, number in
      .ipAPI(number == 0 ? ["8.8.8.1", "8.8.8.3"] : question.addresses)
    }
    #expect(try await lines(provider(server), three) == ok(three))
    #expect(server.questions.map(\.addresses) == [three, ["8.8.8.2"]])
  }

  @Test func `one that is never answered fails alone, with the reason`() async throws {
    let server = try ScriptedServer { _, _ in .ipAPI(["8.8.8.1", "8.8.8.3"]) }
    let answers = try await lines(provider(server, retries: 1), three)
    #expect(
      answers == [
        "8.8.8.1 ok US",
        "8.8.8.2 failed ip-api: the answer has no usable entry for it (2 attempts)",
        "8.8.8.3 ok US",
      ]
    )
    #expect(server.questions.count == 2)
  }

  @Test(arguments: [404, 405, 501])
  func `where there is no batch addresses are asked one at a time`(status: Int) async throws {
    let server = try ScriptedServer { question, _ in
      question.path.hasPrefix("/batch")
        ? Reply(status: status) : .ipAPI(question.addresses, single: true)
    }
    let provider = try provider(server)
    #expect(try await lines(provider, three) == ok(three))
    #expect(provider.batchLimit == 1)
    #expect(try await lines(provider, ["9.9.9.9"]) == ["9.9.9.9 ok US"])
    #expect(server.questions.filter { $0.path.hasPrefix("/batch") }.count == 2)
    #expect(server.questions.count == 6)
  }

  @Test(arguments: [404, 405, 501])
  func `one that passes leaves the batches`(status: Int) async throws {
    let server = try ScriptedServer { question, number in
      number == 0 ? Reply(status: status) : .ipAPI(question.addresses)
    }
    let provider = try provider(server)
    #expect(try await lines(provider, three) == ok(three))
    #expect(provider.batchLimit == 100)
    #expect(server.questions.map(\.addresses) == [three, three])
  }

  @Test(arguments: [400, 406, 413, 414, 422, 451])
  func `a batch to blame is taken apart at once around the address to blame`(
    status: Int
  ) async throws {
    let texts = (1...16).map { "8.8.8.\($0)" }
    let server = try ScriptedServer { question, _ in
      question.addresses.contains("8.8.8.11")
        ? Reply(status: status) : .ipAPI(question.addresses)
    }
    let answers = try await lines(provider(server), texts)
    #expect(answers[10] == "8.8.8.11 failed ip-api: HTTP \(status)")
    #expect(answers.filter { $0.hasSuffix("ok US") }.count == 15)
    // Twice for each halving, and the whole.
    #expect(server.questions.count == 9)
  }

  @Test func `a provider that takes all amiss is not asked for every address`() async throws {
    let texts = (1...100).map { "8.8.8.\($0)" }
    // A fault says nothing of the quota, so an answer opens the window first.
    let server = try ScriptedServer { question, number in
      number == 0 ? .ipAPI(question.addresses, left: 400) : Reply(status: 400)
    }
    let provider = try provider(server, retries: 1)
    #expect(try await lines(provider, ["9.9.9.9"]) == ok(["9.9.9.9"]))
    let answers = try await lines(provider, texts)
    #expect(answers.allSatisfy { $0.contains(" failed ip-api: HTTP 400") })
    #expect(server.questions.count < 81)
    let more = server.questions.count
    let others = try await lines(provider, (1...100).map { "8.8.9.\($0)" })
    #expect(others.allSatisfy { $0.contains(" failed ip-api: HTTP 400 (2 attempts)") })
    #expect(server.questions.count - more == 2)
  }

  @Test(arguments: [204, 206, 408, 425, 500, 502, 503, 504, 599])
  func `what may pass is tried again`(status: Int) async throws {
    let server = try ScriptedServer { question, number in
      number == 0 ? Reply(status: status) : .ipAPI(question.addresses)
    }
    #expect(try await lines(provider(server), three) == ok(three))
    #expect(server.questions.count == 2)
  }

  @Test(arguments: [429, 503])
  func `a wait of hours is not waited for`(status: Int) async throws {
    let server = try ScriptedServer { _, _ in
      Reply(status: status, headers: ["Retry-After: 7200"])
    }
    let provider = try provider(server, as: IPInfo(base: BaseURL(server.url), token: "T"))
    let start = ContinuousClock.now
    for texts in [three, ["9.9.9.9"]] {
      let answers = try await lines(provider, texts)
      let words =
        status == 429
        ? "failed ipinfo: the quota is spent until 20"
        : "failed ipinfo: HTTP 503, not to be asked until 20"
      #expect(answers.allSatisfy { $0.contains(words) }, "\(answers)")
    }
    #expect(ContinuousClock.now - start < .seconds(55))
    #expect(server.questions.count == 1)
    #expect(provider.hasRefused == (status == 429))
    #expect(!provider.isAvailable)
  }

  @Test func `a 503 that says how long is waited for, and costs a try`() async throws {
    let server = try ScriptedServer { question, number in
      number == 0 ? Reply(status: 503, headers: ["Retry-After: 1"]) : .ipAPI(question.addresses)
    }
    let provider = try provider(server, retries: 1)
    let start = ContinuousClock.now
    #expect(try await lines(provider, three) == ok(three))
    #expect(ContinuousClock.now - start >= .seconds(1))
  }

  @Test func `an entry in error is asked again, and fails with its words`() async throws {
    let server = try ScriptedServer { question, _ in
      let entries = question.addresses.map { address in
        address == "8.8.8.2"
          ? #"{"status":"error","message":"backend timeout","query":"\#(address)"}"#
          : #"{"status":"success","countryCode":"US","query":"\#(address)"}"#
      }
      return Reply(body: "[" + entries.joined(separator: ",") + "]")
    }
    let answers = try await lines(provider(server, retries: 1), three)
    #expect(answers[1] == "8.8.8.2 failed ip-api: backend timeout (2 attempts)")
    #expect(server.questions.map(\.addresses) == [three, ["8.8.8.2"]])
  }

  @Test(arguments: ["lines", "gzip"])
  func `what was sent counts, whatever comes of it`(kind: String) async throws {
    let header =
      kind == "gzip"
      ? "Content-Encoding: gzip" : "X: " + String(repeating: "x", count: 250_000)
    let server = try ScriptedServer { _, _ in Reply(headers: [header], body: "[]") }
    let provider = try provider(server, budget: RequestBudget(limit: 2))
    let answers = try await lines(provider, three)
    #expect(answers.allSatisfy { $0.contains("failed ip-api: stopped after 2 requests") })
    #expect(server.questions.count == 2)
    #expect(provider.budget.sent == 2)
  }

  @Test func `a kept connection that is dead costs no try, and both requests count`() async throws {
    let server = try ScriptedServer { question, number in
      number == 1 ? Reply(status: 0) : .ipAPI(question.addresses)
    }
    let provider = try provider(server, retries: 0)
    #expect(try await lines(provider, three) == ok(three))
    #expect(try await lines(provider, ["9.9.9.9"]) == ["9.9.9.9 ok US"])
    #expect(server.questions.count == 3)
    #expect(provider.budget.sent == 3)
  }

  @Test func `a refusal stops everything`() async throws {
    let server = try ScriptedServer { _, _ in Reply(status: 403, body: #"{"message":"banned"}"#) }
    let events = Shared<[String]>([])
    let provider = try provider(server) { event in events.change { $0.append("\(event)") } }
    let first = try await lines(provider, three)
    #expect(first == three.map { "\($0) failed ip-api: refused: HTTP 403: banned" })
    #expect(provider.hasRefused)
    let second = try await lines(provider, ["9.9.9.9"])
    #expect(second[0].hasPrefix("9.9.9.9 failed ip-api: refused"))
    #expect(server.questions.count == 1)
    #expect(events.value.filter { $0.contains("refused") }.count == 1)
  }

  @Test func `a 429 that says how long is waited for and costs no try`() async throws {
    let server = try ScriptedServer { question, number in
      number == 0
        ? Reply(status: 429, headers: ["X-Rl: 0", "X-Ttl: 0"]) : .ipAPI(question.addresses)
    }
    let provider = try provider(server, retries: 0)
    let start = ContinuousClock.now
    #expect(try await lines(provider, three) == ok(three))
    #expect(ContinuousClock.now - start >= .seconds(1))
    #expect(provider.budget.throttled == 1)
    #expect(provider.budget.sent == 2)
  }

  @Test func `a 429 that says nothing costs a try`() async throws {
    let server = try ScriptedServer { _, _ in Reply(status: 429) }
    let answers = try await lines(provider(server, retries: 0), ["8.8.8.8"])
    #expect(answers == ["8.8.8.8 failed ip-api: too many requests"])
    #expect(server.questions.count == 1)
  }

  @Test func `requests end at their number, and what is left fails`() async throws {
    let server = try ScriptedServer { question, _ in
      .ipAPI(question.addresses, single: question.body.isEmpty)
    }
    let provider = try provider(server, budget: RequestBudget(limit: 1))
    #expect(try await lines(provider, three) == ok(three))
    #expect(
      try await lines(provider, ["9.9.9.9"])
        == ["9.9.9.9 failed ip-api: stopped after 1 request (--max-requests)"]
    )
    #expect(server.questions.count == 1)
  }

  @Test func `a request that is not answered in time is tried again`() async throws {
    let server = try ScriptedServer { question, number in
      number == 0 ? nil : .ipAPI(question.addresses)
    }
    #expect(try await lines(provider(server, timeout: .milliseconds(200)), three) == ok(three))
    #expect(server.questions.count == 2)
  }

  @Test func `a cancelled question ends at once`() async throws {
    let server = try ScriptedServer { _, _ in nil }
    let provider = try provider(server)
    let question = Task { try await provider.lookUp([address("8.8.8.8")]) }
    try await waitUntil { !server.questions.isEmpty }
    let start = ContinuousClock.now
    question.cancel()
    await #expect(throws: CancellationError.self) { _ = try await question.value }
    #expect(ContinuousClock.now - start < .seconds(1))
  }

  @Test func `a login page is a loss of the network`() async throws {
    let server = try ScriptedServer { _, _ in
      Reply(headers: ["Content-Type: text/html"], body: "<p>")
    }
    let answers = try await lines(provider(server), ["8.8.8.8"])
    #expect(
      answers
        == ["8.8.8.8 network_lost a login page answered in place of 127.0.0.1:\(server.port)"]
    )
  }

  @Test func `no question is no request`() async throws {
    let server = try ScriptedServer { _, _ in nil }
    #expect(try await lines(provider(server), []) == [])
    #expect(server.questions.isEmpty)
  }
}

/// A provider that asks a server in ip-api's way, without pauses between tries.
func provider(
  _ server: ScriptedServer,
  as api: (any RemoteAPI)? = nil,
  retries: Int = 4,
  timeout: Duration = .seconds(10),
  budget: RequestBudget = RequestBudget(limit: nil),
  report: @escaping EventHandler = { _ in }
) throws -> RemoteProvider {
  let configuration = HTTPClient.Configuration(userAgent: "sonde/1.2.3")
  var rules = AskingRules()
  rules.retries = retries
  rules.timeout = timeout
  rules.backoff.base = .zero
  let asked: any RemoteAPI = api ?? IPAPI(base: BaseURL(server.url))
  return RemoteProvider(
    asked,
    client: try HTTPClient(configuration: configuration),
    rules: rules,
    budget: budget,
    path: nil,
    report: report
  )
}

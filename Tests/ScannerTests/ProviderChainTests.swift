import SondeAddresses
import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeProviders
@testable import SondeRecords

@Suite(.timeLimit(.minutes(1))) struct ProviderChainTests {
  typealias Reply = ScriptedServer.Reply

  private let asked = ["8.8.8.1", "8.8.8.2"]

  /// What a chain of servers makes of the addresses, and the hand-overs it tells of.
  private func run(
    _ servers: [ScriptedServer],
    asFirst api: (any RemoteAPI)? = nil,
    times: Int = 1
  ) async throws -> (lines: [String], events: [String]) {
    let events = Shared<[String]>([])
    let remotes = try servers.enumerated().map { number, server in
      try provider(server, as: number == 0 ? api : nil, retries: 0)
    }
    let providers = remotes.map { ListedProvider.remote($0) }
    let chain = ProviderChain(providers) { event in
      switch event {
      case .handover(_, _, _, let message): events.change { $0.append(message) }
      default: return
      }
    }
    let result = await chain.watchingNetwork {
      var lines: [String] = []
      for _ in 0..<times { lines += (try? await chain.lookUp(asked.map(address)).lines) ?? [] }
      return lines
    }
    return (result, events.value)
  }

  private func knowing(_ known: Set<String>) throws -> ScriptedServer {
    try ScriptedServer { question, _ in
      let entries = question.addresses.map { address in
        known.contains(address)
          ? #"{"status":"success","countryCode":"US","query":"\#(address)"}"#
          : #"{"status":"fail","message":"invalid query","query":"\#(address)"}"#
      }
      return Reply(body: "[" + entries.joined(separator: ",") + "]")
    }
  }

  private func failing() throws -> ScriptedServer {
    try ScriptedServer { _, _ in Reply(status: 500) }
  }

  @Test func `the first provider is enough where it knows everything`() async throws {
    let second = try knowing([])
    let (lines, events) = try await run([try knowing(Set(asked)), second])
    #expect(lines == ["8.8.8.1 ok US", "8.8.8.2 ok US"])
    #expect(events == [])
    #expect(second.questions.isEmpty)
  }

  @Test func `a later one is asked what the earlier one does not know, and no more`() async throws {
    let second = try knowing(Set(asked))
    let (lines, events) = try await run([try knowing(["8.8.8.1"]), second])
    #expect(lines == ["8.8.8.1 ok US", "8.8.8.2 ok US"])
    #expect(second.questions.map(\.addresses) == [["8.8.8.2"]])
    // Knowing more is no hand-over.
    #expect(events == [])
  }

  @Test func `once nobody is asked any more, a cancelled request lets no other out`() async throws {
    let server = try ScriptedServer { _, _ in nil }
    let chain = ProviderChain([.remote(try provider(server))]) { _ in }
    let lookups = (1...3).map { number in
      Task.immediate { try await chain.lookUp([address("8.8.8.\(number)")]) }
    }
    try await waitUntil { !server.questions.isEmpty }
    chain.stopAsking()
    // The tasks of the others are not cancelled yet.
    lookups[0].cancel()
    for lookup in lookups {
      await #expect(throws: CancellationError.self) { _ = try await lookup.value }
    }
    #expect(server.questions.map(\.addresses) == [["8.8.8.1"]])
  }

  @Test func `a provider that fails is replaced, and that is told once`() async throws {
    let (lines, events) = try await run([try failing(), try knowing(Set(asked))], times: 3)
    #expect(
      lines == Array(repeating: ["8.8.8.1 ok US", "8.8.8.2 ok US"], count: 3).flatMap(\.self)
    )
    #expect(events == ["ip-api answers in place of ip-api: HTTP 500"])
  }

  @Test func `the first provider takes over again when it answers`() async throws {
    let first = try ScriptedServer { question, number in
      // The batch, and each of its halves.
      number < 3 ? Reply(status: 500) : .ipAPI(question.addresses)
    }
    let (_, events) = try await run([first, try knowing(Set(asked))], times: 3)
    #expect(
      events
        == ["ip-api answers in place of ip-api: HTTP 500", "ip-api takes over again"]
    )
  }

  @Test func `a failure stays where the later provider has nothing`() async throws {
    let (lines, _) = try await run([try failing(), try knowing(["8.8.8.1"])])
    #expect(lines == ["8.8.8.1 ok US", "8.8.8.2 failed ip-api: HTTP 500"])
  }

  @Test func `a failure counts where the earlier provider has nothing`() async throws {
    let (lines, _) = try await run([try knowing(["8.8.8.1"]), try failing()])
    #expect(lines == ["8.8.8.1 ok US", "8.8.8.2 failed ip-api: HTTP 500"])
  }

  @Test func `what nobody knows is unknown, in the words of all`() async throws {
    let (lines, _) = try await run([try knowing([]), try knowing([])])
    #expect(lines[0] == "8.8.8.1 unknown ip-api: invalid query; ip-api: invalid query")
  }

  @Test func `the providers of a list go with it`() throws {
    weak var first: RemoteProvider?
    do {
      let providers = try [knowing([]), knowing([])].map { try provider($0) }
      first = providers[0]
      let chain = ProviderChain(providers.map { .remote($0) }) { _ in }
      #expect(chain.providers.count == 2)
      #expect(providers[0].others.count == 1)
    }
    #expect(first == nil)
  }

  @Test func `a spent quota of the day is handed over, and asked no more`() async throws {
    let first = try ScriptedServer { _, _ in Reply(status: 429, headers: ["Retry-After: 7200"]) }
    let (lines, events) = try await run(
      [first, try knowing(Set(asked))],
      asFirst: IPInfo(base: BaseURL(first.url), token: "T"),
      times: 3
    )
    #expect(lines.allSatisfy { $0.hasSuffix("ok US") })
    #expect(first.questions.count == 1)
    let words = try #require(events.first)
    #expect(events.count == 1 && words.contains("in place of ipinfo: the quota is spent until"))
  }
}

import SondeAddresses
import SondeProviders
import SondeStore
import TestSupport
import Testing
import SondeTransfer

@testable import SondeAsking
@testable import SondeRecords

/// One question of a person, who waits for nothing.
@Suite(.timeLimit(.minutes(1))) struct QuestionTests {
  typealias Reply = ScriptedServer.Reply

  private func chain(_ server: ScriptedServer, in store: Store? = nil) throws -> ProviderChain {
    let api = IPAPI(base: BaseURL(server.url))
    var rules = AskingRules()
    rules.waitForNothing(limit: nil)
    let provider = RemoteProvider(
      api,
      client: try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "sonde/1.2.3")),
      rules: rules,
      budget: RequestBudget(limit: nil),
      path: nil,
      cache: store.map {
        AnswerCache(of: api, in: $0, rules: CacheRules(timeToLive: .seconds(300)))
      }
    ) { _ in }
    return ProviderChain([.remote(provider)]) { _ in }
  }

  private func single(_ question: ScriptedServer.Question) -> Reply {
    .ipAPI(question.addresses, single: true)
  }

  @Test func `an address is asked for by itself, and a special one is not`() async throws {
    let server = try ScriptedServer { question, _ in single(question) }
    let chain = try chain(server)
    let block = try await chain.answer(to: address("8.8.8.8"))
    #expect(block.records.map(\.status) == [.ok])
    #expect(chain.rank(of: block.records[0].source) == 0)
    #expect(chain.rank(of: Provider.local.sources[0].source) == 1)
    let special = try await chain.answer(to: address("10.0.0.1"))
    #expect(special.records.map(\.status) == [.reserved])
    #expect(server.questions.map(\.body) == [""])
  }

  @Test func `a spent quota is told at once, and with its time`() async throws {
    let server = try ScriptedServer { _, _ in
      Reply(status: 429, headers: ["X-Rl: 0", "X-Ttl: 30"])
    }
    let chain = try chain(server)
    let start = ContinuousClock.now
    for _ in 0..<2 {
      let block = try await chain.answer(to: address("8.8.8.8"))
      #expect(block.records.map(\.status) == [.failed])
      let wait = try #require(chain.quotaWait)
      #expect(wait > .seconds(20) && wait <= .seconds(31))
    }
    #expect(.now - start < .seconds(2))
    #expect(server.questions.count == 1)
  }

  @Test func `a fresh question asks whatever is kept, and keeps it until there is more`()
    async throws
  {
    let folder = try ScratchFolder()
    let store = Store(path: folder.file("cache.db")) { _ in }
    let server = try ScriptedServer { question, number in
      number == 1 ? Reply(status: 500) : single(question)
    }
    let chain = try chain(server, in: store)
    func ask(isFresh: Bool) async throws -> [String] {
      let block = try await chain.answer(to: address("8.8.8.8"), isFresh: isFresh)
      return block.records.map { "\($0.status) \($0.isCached)" }
    }
    #expect(try await ask(isFresh: false) == ["ok false"])
    #expect(try await ask(isFresh: false) == ["ok true"])
    #expect(try await ask(isFresh: true) == ["failed false"])
    #expect(try await ask(isFresh: false) == ["ok true"])
    #expect(try await ask(isFresh: true) == ["ok false"])
    #expect(server.questions.count == 3)
    await store.close()
  }
}

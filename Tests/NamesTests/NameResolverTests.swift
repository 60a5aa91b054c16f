import SondeAddresses
import Synchronization
import TestSupport
import Testing

@testable import SondeNames

@Suite struct NameResolverTests {
  private func resolver(
    _ server: StubServer,
    timeout: Duration = .milliseconds(200)
  ) throws -> NameResolver {
    var configuration = NameResolver.Configuration(server.place)
    configuration.timeout = timeout
    return try NameResolver(configuration)
  }

  private static func pointer(_ name: String) -> Message {
    Message(answers: [Message.pointer(name)])
  }

  private static func host(_ octets: [UInt8]) -> Message {
    Message(answers: [.init(owner: Message.toQuestion, type: 1, data: octets)])
  }

  /// Answers `1.2.0.192.in-addr.arpa` with `host-1.example`, and that with its address.
  private static func answer(_ question: StubServer.Question) -> Message {
    switch question.type {
    case .pointer: pointer("host-\(question.name.prefix { $0 != "." }).example")
    case .a:
      host([192, 0, 2, UInt8(question.name.dropFirst(5).prefix { $0 != "." }) ?? 0])
    default: Message(code: 5)
    }
  }

  private let hosts = (1...200).map { address("192.0.2.\($0)") }

  @Test(.timeLimit(.minutes(1))) func `names are asked for and confirmed`() async throws {
    let server = try StubServer { [Self.answer($0)] }
    let names = try await resolver(server).names(of: hosts)
    #expect(names.map(\.names) == (1...200).map { ["host-\($0).example"] })
    #expect(names.allSatisfy { $0.status == .confirmed && $0.lifetime == .seconds(3600) })
    #expect(server.questions.count == 400)
    #expect(Set(server.questions).count == 400)
  }

  @Test(.timeLimit(.minutes(1))) func `a cut answer is asked for again over TCP`() async throws {
    let server = try StubServer { question in
      guard question.type == .pointer else { return [Self.answer(question)] }
      guard question.isStream else { return [Message(isTruncated: true)] }
      return [Message(answers: (0..<100).map { Message.pointer("host-\($0).example") })]
    }
    let names = try await resolver(server).names(of: [hosts[4]])
    #expect(names[0].status == .confirmed)
    #expect(names[0].names.first == "host-5.example")
    #expect(names[0].names.count == 100)
    #expect(server.questions.count == 12)
  }

  @Test(.timeLimit(.minutes(1))) func `lies are no answers, and the truth is`() async throws {
    let server = try StubServer { question in
      var (id, name) = (Self.answer(question), Self.answer(question))
      id.id = 8
      name.question = Message.name("elsewhere.example")
      id.answers[0].data = [0]
      name.answers[0].data = [0]
      return [id, name, Self.answer(question)]
    }
    let names = try await resolver(server).names(of: Array(hosts[..<20]))
    #expect(names.map(\.names) == (1...20).map { ["host-\($0).example"] })
  }

  @Test(.timeLimit(.minutes(1))) func `one that is not answered while others are has failed`()
    async throws
  {
    let server = try StubServer { $0.name.hasPrefix("7.") ? [] : [Self.answer($0)] }
    let names = try await resolver(server).names(of: Array(hosts[..<50]))
    let failed = names.enumerated().filter { $0.element.status != .confirmed }
    #expect(failed.map(\.offset) == [6])
    #expect(failed.first?.element.status == .failed)
    #expect(failed.first?.element.reason == "no answer from 127.0.0.1:\(server.port) (attempt 3)")
    #expect(server.questions.count { $0.name.hasPrefix("7.") } == 3)
  }

  @Test(.timeLimit(.minutes(1))) func `one alone that is not answered has failed, too`()
    async throws
  {
    let server = try StubServer { $0.type == .nameServer ? [Message(code: 5)] : [] }
    let names = try await resolver(server).names(of: [hosts[0]])
    #expect(names.map(\.status) == [.failed])
  }

  @Test(.timeLimit(.minutes(1))) func `a silent resolver is the network's loss`() async throws {
    let server = try StubServer { _ in [] }
    let resolver = try resolver(server)
    let names = try await resolver.names(of: Array(hosts[..<20]))
    #expect(names.allSatisfy { $0.status == .networkLost && $0.lifetime == nil })
    #expect(names.first?.reason == "127.0.0.1:\(server.port) does not answer")
    #expect(await resolver.presence() == .silent)
  }

  @Test(.timeLimit(.minutes(1))) func `a resolver that is gone and back is asked again`()
    async throws
  {
    let isGone = Shared(false)
    let server = try StubServer { isGone.value ? [] : [Self.answer($0)] }
    let resolver = try resolver(server)
    #expect(try await resolver.names(of: [hosts[0]]).map(\.status) == [.confirmed])
    isGone.change { $0 = true }
    #expect(try await resolver.names(of: [hosts[1]]).map(\.status) == [.networkLost])
    isGone.change { $0 = false }
    #expect(await resolver.presence() == .answered)
    #expect(try await resolver.names(of: [hosts[1]]).map(\.status) == [.confirmed])
  }

  @Test(.timeLimit(.minutes(1))) func `nobody listens`() async throws {
    let place = try #require(ResolverPlace("127.0.0.1:9"))
    let resolver = try NameResolver(NameResolver.Configuration(place))
    let names = try await resolver.names(of: hosts)
    #expect(names.allSatisfy { $0.status == .networkLost })
    #expect(names[0].reason == "127.0.0.1:9 cannot be reached: Connection refused")
    #expect(await resolver.presence() == .unreachable(111))
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 4, 5, 9] as [UInt8])
  func `what a resolver refuses has failed at once`(code: UInt8) async throws {
    let server = try StubServer { _ in [Message(code: code)] }
    let names = try await resolver(server).names(of: [hosts[0]])
    #expect(names.map(\.status) == [.failed])
    // Without EDNS, that it cannot read the question.
    #expect(server.questions.count == (code == 1 ? 2 : 1))
  }

  @Test(.timeLimit(.minutes(1))) func `SERVFAIL is tried again`() async throws {
    let tries = Mutex(0)
    let server = try StubServer { question in
      guard question.type == .pointer else { return [Self.answer(question)] }
      let count = tries.withLock { count in
        count += 1
        return count
      }
      return [count < 3 ? Message(code: 2) : Self.answer(question)]
    }
    #expect(try await resolver(server).names(of: [hosts[0]]).map(\.status) == [.confirmed])
    #expect(tries.withLock { $0 } == 3)
  }

  @Test(.timeLimit(.minutes(1))) func `a cancelled task waits for nothing`() async throws {
    let server = try StubServer { _ in [] }
    let resolver = try resolver(server, timeout: .seconds(30))
    let task = Task { try await resolver.names(of: hosts) }
    try await waitUntil { server.questions.count == 200 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(.timeLimit(.minutes(1))) func `all is abandoned at once`() async throws {
    let server = try StubServer { _ in [] }
    let resolver = try resolver(server, timeout: .seconds(30))
    let task = Task { try await resolver.names(of: hosts + hosts) }
    try await waitUntil { server.questions.count == 200 }
    resolver.abandonAll("the link is down")
    let names = try await task.value
    #expect(names.count == 400)
    #expect(names.allSatisfy { $0.status == .networkLost && $0.reason == "the link is down" })
  }

  @Test(.timeLimit(.minutes(1))) func `an address is asked about once for all who want it`()
    async throws
  {
    let server = try StubServer { [Self.answer($0)] }
    let resolver = try resolver(server)
    try await withThrowingTaskGroup(of: [HostNames].self) { group in
      for _ in 0..<8 { group.addTask { try await resolver.names(of: hosts + hosts) } }
      for try await names in group {
        #expect(
          names.map(\.names) == [1, 2].flatMap { _ in (1...200).map { ["host-\($0).example"] } }
        )
      }
    }
    #expect(server.questions.count < 400 * 16)
  }

  @Test(.timeLimit(.minutes(1))) func `once stopped, nothing more is asked`() async throws {
    let server = try StubServer { question in
      question.name.contains(/^(host-)?1\./) ? [Self.answer(question)] : []
    }
    let resolver = try resolver(server, timeout: .milliseconds(300))
    #expect(try await resolver.names(of: [hosts[0]]).map(\.status) == [.confirmed])
    let task = Task { try await resolver.names(of: Array(hosts[1...])) }
    try await waitUntil { server.questions.count == 201 }
    resolver.stop()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) { try await resolver.names(of: [hosts[0]]) }
    #expect(Set(server.questions).count >= 201)
    #expect(server.questions.count { $0.type == .pointer } == 200)
  }

  @Test func `the system names its servers`() throws {
    #expect(try !NameResolver.servers(at: .system).isEmpty)
  }
}

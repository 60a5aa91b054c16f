import SondeAddresses
import Glibc
import SondeProviders
import TestSupport
import Testing
import SondeTransfer

@testable import SondeLists
@testable import SondeSources

/// Registries on loopback, and who asks them.
private struct Registries {
  let server: ScriptedServer
  let folder: ScratchFolder
  var reuse = OwnerReuse.block
  var allowance = Allowance(requests: 1, per: .milliseconds(1))

  /// Five registries, each with a quarter of the first octets, that answer with the /24 of an address.
  init(answer: @escaping @Sendable (String) -> ScriptedServer.Reply? = { _ in nil }) throws {
    server = try ScriptedServer { question, _ in
      if question.path.hasSuffix("ipv4.json") { return .init(body: Self.directory) }
      let text = String(question.path.split(separator: "/").last ?? "")
      if let reply = answer(text) { return reply }
      let block = text.split(separator: ".").dropLast().joined(separator: ".")
      return .init(
        body: #"{"startAddress":"\#(block).0","endAddress":"\#(block).255","name":"N-\#(block)"}"#
      )
    }
    folder = try ScratchFolder()
  }

  private static let directory: String = {
    let hosts = Registry.regional.enumerated().map { index, registry in
      let blocks = stride(from: 1 + index, to: 224, by: 5).map { "\"\($0).0.0.0/8\"" }
      return #"[[\#(blocks.joined(separator: ","))],["https://rdap.\#(registry.name).net/"]]"#
    }
    return #"{"services":[\#(hosts.joined(separator: ","))]}"#
  }()

  func owners() throws -> Owners {
    var places = OwnerPlaces(folder: ListFolder(path: folder.file("tables")))
    places.mirror = BaseURL(server.url)
    places.directories = BaseURL(server.url)
    places.allowance = { [allowance] _ in allowance }
    let surroundings = SourceSurroundings(
      client: { try HTTPClient(configuration: .init(userAgent: "sonde/test")) },
      path: { _, _ in nil },
      report: { _ in }
    )
    return try Owners(at: places, reuse: reuse, surroundings)
  }

  /// How often each address was asked about.
  var asked: [String: Int] {
    server.questions.filter { $0.path.contains("/ip/") }.reduce(into: [:]) { counts, question in
      counts[String(question.path.split(separator: "/").last ?? ""), default: 0] += 1
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct OwnersTests {
  /// Addresses of so many blocks, in an order that mixes them.
  private func addresses(blocks: Int, each: Int) -> [Address] {
    let all = (0..<blocks).flatMap { block in
      (0..<each).map { host -> Address in
        let network = UInt32(1 + block % 200) << 24 | UInt32(block / 200) << 8
        return Address(ipv4: network | UInt32(host))
      }
    }
    var generator = SeededGenerator(seed: 1)
    return all.shuffled(using: &generator)
  }

  @Test func `one question for each block, however many batches ask at once`() async throws {
    let registries = try Registries()
    let owners = try registries.owners()
    let addresses = addresses(blocks: 400, each: 20)
    let batches = stride(from: 0, to: addresses.count, by: 512).map {
      Array(addresses[$0..<min($0 + 512, addresses.count)])
    }
    let matches = try await withThrowingTaskGroup(of: [KnownOwners.Match].self) { group in
      for batch in batches { group.addImmediateTask { try await owners.owners(of: batch) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(matches.count == 8000)
    #expect(matches.allSatisfy { $0.owner.registration != nil })
    #expect(matches.count { !$0.isInferred } == 400)
    #expect(registries.asked.count == 400 && registries.asked.values.allSatisfy { $0 == 1 })
  }

  @Test func `what comes first is asked about, and the rows keep their order`() async throws {
    let registries = try Registries()
    let owners = try registries.owners()
    let texts = ["8.8.8.9", "8.8.8.8", "9.9.9.9", "8.8.8.9"]
    let matches = try await owners.owners(of: texts.map { Address($0) ?? Address(ipv4: 0) })
    #expect(matches.map(\.isInferred) == [false, true, false, false])
    #expect(
      matches.map { $0.owner.registration?.name } == ["N-8.8.8", "N-8.8.8", "N-9.9.9", "N-8.8.8"]
    )
  }

  @Test func `who is cancelled while he waits leaves the others to their answers`() async throws {
    let isOpen = Shared(false)
    let registries = try Registries { _ in
      while !isOpen.value { usleep(1000) }
      return nil
    }
    let owners = try registries.owners()
    let address = Address(ipv4: 0x0808_0808)
    let first = Task { try await owners.owners(of: [address]) }
    let second = Task { try await owners.owners(of: [address]) }
    try await Task.sleep(for: .milliseconds(50))
    first.cancel()
    isOpen.change { $0 = true }
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(try await second.value[0].owner.registration?.name == "N-8.8.8")
  }

  @Test func `when no more is asked, who waits is told so`() async throws {
    var registries = try Registries()
    registries.allowance = Allowance(requests: 1, per: .seconds(3600))
    let owners = try registries.owners()
    let addresses = addresses(blocks: 40, each: 1)
    let asking = Task { try await owners.owners(of: addresses) }
    while registries.asked.count < 5 { try await Task.sleep(for: .milliseconds(5)) }
    owners.stopAsking()
    await #expect(throws: CancellationError.self) { try await asking.value }
    #expect(registries.asked.count == 5)
  }

  @Test func `what fails is asked for once in a batch`() async throws {
    let registries = try Registries { _ in .init(status: 400) }
    let owners = try registries.owners()
    let addresses = (0..<20).map { Address(ipv4: 0x0808_0800 + UInt32($0)) }
    let matches = try await owners.owners(of: addresses)
    #expect(matches.allSatisfy { $0.owner.outcome == .failed && !$0.isInferred })
    #expect(registries.asked == ["8.8.8.0": 1])
  }
}

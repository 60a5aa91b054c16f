import SondeAddresses
import SondeStore
import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeInputs
@testable import SondeLogs
@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeScanner

/// Sources that are asked beside the providers, in a whole scan.
@Suite(.timeLimit(.minutes(1))) struct AwaitedSourceTests {
  typealias Reply = ScriptedServer.Reply

  private let folder: ScratchFolder
  private let server: ScriptedServer

  init() throws {
    folder = try ScratchFolder()
    server = try ScriptedServer { question, _ in .ipAPI(question.addresses) }
  }

  /// Runs a scan of some addresses.
  ///
  /// - Returns: Its output, and how it ended.
  private func scan(
    _ items: [String],
    adding sources: [FakeSource],
    where condition: String? = nil,
    keepsDuplicates: Bool = false,
    isUnordered: Bool = false,
    format: Format = .csv,
    during work: (@Sendable (Scan) async throws -> Void)? = nil
  ) async throws -> (output: String, outcome: ScanOutcome) {
    let chain = ProviderChain([.remote(try provider(server, retries: 0))], adding: sources) { _ in }
    let columns = sources.map { AwaitedColumns(columns: $0.columns) }
    let encoder = RecordEncoder(
      format: format,
      fields: [.ip, .status] + sources.flatMap(\.columns).map(Field.added),
      added: columns
    )
    let path = folder.file("o")
    let sink = try Sink(path: path)
    var rules = Scan.Rules()
    rules.filter = try condition.map {
      try Filter($0, adding: columns) { _ throws(FilterFileError) in throw FilterFileError("none") }
    }
    (rules.keepsDuplicates, rules.isUnordered) = (keepsDuplicates, isUnordered)
    var entryRules = EntryRules()
    entryRules.keepsDuplicates = keepsDuplicates
    let scan = Scan(
      reader: try EntryReader(
        inputs: InputSet(opening: items.map { .literal($0) }),
        rules: entryRules
      ),
      chain: chain,
      outputs: Outputs(main: .init(encoder: encoder, sink: sink)),
      rules: rules
    ) { _ in }
    let task = Task { await scan.run() }
    if let work { try await work(scan) }
    let outcome = await task.value
    return (try folder.text("o"), outcome)
  }

  @Test func `each record gets what was found of its address, in order`() async throws {
    let source = FakeSource { address in
      // The first answer comes last.
      if "\(address)" == "8.8.8.1" { try await Task.sleep(for: .milliseconds(30)) }
      return "\(address)" == "8.8.8.2"
        ? .names([], isSure: nil) : .names(["b.\(address)", "a"], isSure: true)
    }
    let (output, outcome) = try await scan(["8.8.8.1", "8.8.8.2", "8.8.8.3"], adding: [source])
    #expect(
      output == """
        ip,status,ptr,ptr_sure,ptr_status
        8.8.8.1,ok,b.8.8.8.1 a,true,unconfirmed
        8.8.8.2,ok,,,none
        8.8.8.3,ok,b.8.8.8.3 a,true,unconfirmed

        """
    )
    #expect(outcome.tally.ok == 3 && outcome.tally.faults.isEmpty && outcome.tally.balances)
  }

  @Test func `lists are arrays in JSON, and booleans no texts`() async throws {
    let source = FakeSource { _ in .names(["a\"b", "c", "d"], isSure: false) }
    let (output, _) = try await scan(["8.8.8.1"], adding: [source], format: .ndjson)
    let names = #""ptr":["a\"b","c","d"],"ptr_sure":false,"ptr_status":"unconfirmed""#
    #expect(output == #"{"ip":"8.8.8.1","status":"ok",\#(names)}"# + "\n")
  }

  @Test func `several sources are asked at once, and keep their columns`() async throws {
    let (first, second) = (FakeSource("a"), FakeSource("b") { _ in .failed })
    let (output, outcome) = try await scan(["8.8.8.1"], adding: [first, second])
    #expect(output.hasSuffix("8.8.8.1,ok,8.8.8.1.example,,unconfirmed,,,failed\n"))
    #expect(outcome.tally.faults == [FaultTally(), FaultTally(failed: 1)])
  }

  @Test func `special addresses are asked about only where a source says so`() async throws {
    let (shy, open) = (FakeSource("a"), FakeSource("b", asksReserved: true))
    let items = ["10.0.0.1", "8.8.8.1", "x", "fe80::1%eth0"]
    let (output, outcome) = try await scan(items, adding: [shy, open])
    #expect(
      output.split(separator: "\n").dropFirst() == [
        "10.0.0.1,reserved,,,,10.0.0.1.example,,unconfirmed",
        "8.8.8.1,ok,8.8.8.1.example,,unconfirmed,8.8.8.1.example,,unconfirmed",
        "x,invalid,,,,,,", "fe80::1%eth0,reserved,,,,,,",
      ]
    )
    #expect(shy.addresses == ["8.8.8.1"])
    #expect(open.addresses.sorted() == ["10.0.0.1", "8.8.8.1"])
    #expect(outcome.tally.balances)
  }

  @Test func `what a source has no answer for is counted, and the provider's answer stays`()
    async throws
  {
    let source = FakeSource { address in "\(address)" == "8.8.8.1" ? .failed : .networkLost }
    let (output, outcome) = try await scan(["8.8.8.1", "8.8.8.2"], adding: [source])
    #expect(output.hasSuffix("8.8.8.1,ok,,,failed\n8.8.8.2,ok,,,network_lost\n"))
    #expect(outcome.tally.ok == 2 && outcome.tally.failed == 0)
    #expect(outcome.tally.faults == [FaultTally(failed: 1, networkLost: 1)])
  }

  @Test func `an address that comes again is asked about once a batch`() async throws {
    let source = FakeSource()
    let items = ["8.8.8.1", "8.8.8.1", "10.0.0.1", "10.0.0.1"]
    let (output, _) = try await scan(items, adding: [source], keepsDuplicates: true)
    #expect(output.split(separator: "\n").count == 5)
    #expect(source.addresses == ["8.8.8.1"])
  }

  @Test(arguments: [
    ("ptr ~ \"*.EXAMPLE\"", ["8.8.8.1"]), ("ptr = b", ["8.8.8.1"]), ("ptr in (c, b)", ["8.8.8.1"]),
    ("ptr not in (b)", ["8.8.8.3"]), ("ptr", ["8.8.8.1", "8.8.8.3"]),
    ("not ptr", ["8.8.8.2"]), ("ptr_sure", ["8.8.8.1"]), ("ptr_sure = false", ["8.8.8.3"]),
    ("ptr_status = none", ["8.8.8.2"]), ("ptr_status = failed", []),
    ("ip = 8.8.8.3 and ptr", ["8.8.8.3"]),
  ])
  func `a condition is decided when the names are there`(
    condition: String,
    kept: [String]
  ) async throws {
    let source = FakeSource { address in
      switch "\(address)" {
      case "8.8.8.1": .names(["a.example", "b"], isSure: true)
      case "8.8.8.3": .names(["x"], isSure: false)
      case "8.8.8.4": .failed
      default: .names([], isSure: nil)
      }
    }
    let items = (1...4).map { "8.8.8.\($0)" }
    let (output, outcome) = try await scan(items, adding: [source], where: condition)
    let written = output.split(separator: "\n").dropFirst().map { "\($0.prefix { $0 != "," })" }
    // Of the one that failed nobody knows, unless its status or its address is all that is asked.
    let isTold = condition.contains("status") && !condition.contains("failed")
    let isOpen = !isTold && !condition.contains("ip =")
    #expect(written == kept + (isOpen ? ["8.8.8.4"] : []))
    #expect(outcome.tally.excluded == 4 - written.count && outcome.tally.balances)
  }

  @Test func `nobody is asked about what an address alone decides`() async throws {
    let source = FakeSource()
    let condition = "ip in (8.8.8.0/31) and ptr"
    let (output, _) = try await scan(["8.8.8.1", "8.8.8.9"], adding: [source], where: condition)
    #expect(output.split(separator: "\n").count == 2)
    #expect(source.addresses == ["8.8.8.1"])
    #expect(server.questions.flatMap(\.addresses) == ["8.8.8.1"])
  }

  @Test func `thousands come out once each and in order`() async throws {
    let source = FakeSource("ptr", asksReserved: true) { address in
      if address.low % 97 == 0 { try await Task.sleep(for: .milliseconds(1)) }
      return .names(["\(address)"], isSure: nil)
    }
    let (output, outcome) = try await scan(["10.0.0.0/19"], adding: [source])
    let names = output.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
    #expect(names.count == 8192)
    #expect(names.allSatisfy { $0[0] == $0[2] })
    #expect(names.map { "\($0[0])" } == (0..<8192).map { "10.0.\($0 / 256).\($0 % 256)" })
    #expect(outcome.tally.reserved == 8192)
  }

  @Test func `a stop ends what waits for a source, and writes what is whole`() async throws {
    let end = Shared(false)
    let stopping = FakeSource("b") { _ in
      while !end.value { try await Task.sleep(for: .milliseconds(1)) }
      throw CancellationError()
    }
    let (output, outcome) = try await scan(["8.8.8.2"], adding: [stopping]) { scan in
      try await waitUntil { !stopping.addresses.isEmpty }
      scan.stop(isFinal: true)
      try await waitUntil { stopping.wasStopped }
      end.change { $0 = true }
    }
    #expect(outcome.isInterrupted)
    #expect(output.split(separator: "\n").count == 1)
    #expect(outcome.tally.settled == 0)
  }
}

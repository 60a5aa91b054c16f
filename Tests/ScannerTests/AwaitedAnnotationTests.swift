import SondeAddresses
import SondeStore
import TestSupport
import Testing

@testable import SondeAnnotate
@testable import SondeAsking
@testable import SondeInputs
@testable import SondeOutputs
@testable import SondeRecords

/// Sources that are asked beside the providers, in logs.
@Suite(.timeLimit(.minutes(1))) struct AwaitedAnnotationTests {
  private let folder: ScratchFolder
  private let server: ScriptedServer

  init() throws {
    folder = try ScratchFolder()
    server = try ScriptedServer { question, _ in .ipAPI(question.addresses) }
  }

  /// Annotates a log, as the brackets of the command do.
  private func annotated(
    _ log: String,
    by source: FakeSource,
    wait: Duration? = nil
  ) async throws -> (output: String, outcome: ScanOutcome) {
    let file = try ScratchFile(Array(log.utf8))
    let columns = AwaitedColumns(columns: source.columns)
    let fields = source.columns.filter { !$0.isTechnical }.map(Field.added)
    var rules = Annotation.Rules()
    rules.wait = wait
    let annotation = try Annotation(
      of: InputSet(opening: [.file(file.path)]),
      style: BracketStyle(
        encoder: RecordEncoder(format: .inline, fields: [.countryCode] + fields, added: [columns]),
        added: RecordEncoder(format: .inline, fields: fields, added: [columns]),
        dims: false
      ),
      chain: ProviderChain([.remote(try provider(server, retries: 0))], adding: [source]) { _ in },
      spill: AnswerSpill { _ in },
      rules: rules,
      to: try Sink(path: folder.file("o")),
      packing: nil
    ) { _ in }
    let outcome = await annotation.run()
    return (try folder.text("o"), outcome)
  }

  @Test func `what is found stands in the brackets, and each address is asked about once`()
    async throws
  {
    let source = FakeSource()
    let log = "8.8.8.1 to 8.8.8.2\n8.8.8.1 again, 10.0.0.1 and fe80::1%eth0\n"
    let (output, outcome) = try await annotated(log, by: source)
    #expect(
      output == """
        8.8.8.1 [US, 8.8.8.1.example] to 8.8.8.2 [US, 8.8.8.2.example]
        8.8.8.1 [US, 8.8.8.1.example] again, 10.0.0.1 [Private-Use] and fe80::1%eth0 [Link-Local Unicast]

        """
    )
    #expect(source.addresses.sorted() == ["8.8.8.1", "8.8.8.2"])
    #expect(outcome.tally.ok == 2 && outcome.tally.reserved == 2 && outcome.tally.balances)
  }

  @Test func `private addresses get their names where that is wanted`() async throws {
    let source = FakeSource("ptr", asksReserved: true)
    let (output, _) = try await annotated("10.0.0.1 10.0.0.1\n", by: source)
    let annotated = "10.0.0.1 [Private-Use, 10.0.0.1.example]"
    #expect(output == "\(annotated) \(annotated)\n")
    #expect(source.addresses == ["10.0.0.1"])
  }

  @Test func `what a source has no answer for counts once an address`() async throws {
    let source = FakeSource { address in "\(address)" == "8.8.8.1" ? .networkLost : .failed }
    let (output, outcome) = try await annotated("8.8.8.1 8.8.8.1\n8.8.8.2\n", by: source)
    #expect(output == "8.8.8.1 [US] 8.8.8.1 [US]\n8.8.8.2 [US]\n")
    #expect(outcome.tally.faults == [FaultTally(failed: 1, networkLost: 1)])
  }

  @Test func `a line waits for a source no longer than it may`() async throws {
    let source = FakeSource { _ in
      try await Task.sleep(for: .seconds(600))
      return .failed
    }
    let task = Task {
      try await annotated("8.8.8.1\nplain\n", by: source, wait: .milliseconds(50))
    }
    try await waitUntil { source.wasStopped }
    try await Task.sleep(for: .milliseconds(10))
    task.cancel()
    let (output, outcome) = try await task.value
    #expect(output == "8.8.8.1\nplain\n")
    #expect(outcome.lines?.late == 1)
  }
}

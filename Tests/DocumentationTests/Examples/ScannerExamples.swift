import SondeAsking
import Foundation
import SondeInputs
import SondeLogs
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeScanner
import SondeStore
import TestSupport
import Testing
import SondeTransfer

@Suite struct ScannerExamples {
  @Test(.timeLimit(.minutes(1))) func scan() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/list.csv"
    // example: Scan
    let inputs = InputSet(opening: [.literal("8.8.8.8"), .literal("10.0.0.1"), .literal("x")])
    let encoder = RecordEncoder(format: .csv, fields: [.ip, .status])
    let outputs = Outputs(main: Outputs.Place(encoder: encoder, sink: try Sink(path: path)))
    try await outputs.empty()
    let scan = Scan(
      reader: try EntryReader(inputs: inputs, rules: EntryRules()),
      // Nobody is asked.
      chain: nil,
      outputs: outputs,
      rules: Scan.Rules(),
      report: { event in print(event) }
    )
    let outcome = await scan.run()
    #expect(outcome.isComplete && outcome.tally.balances)
    #expect(outcome.tally.reserved == 1 && outcome.tally.invalid == 1)
    // end
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
    #expect(lines == ["ip,status", "8.8.8.8,ok", "10.0.0.1,reserved", "x,invalid"])
  }

  @Test(.timeLimit(.minutes(1))) func chain() async throws {
    let folder = try ScratchFolder()
    let simulator = try Simulator()
    let (path, url) = (folder.path + "/list.ndjson", simulator.ipAPI)
    // example: ProviderChain
    let report: EventHandler = { event in print(event) }
    let api = IPAPI(base: BaseURL(url))
    let budget = RequestBudget(limit: 10)
    let remote = RemoteProvider(
      api,
      client: try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "example/1.0")),
      rules: AskingRules(),
      budget: budget,
      // Does not watch the network; a path's own endpoint would.
      path: nil,
      report: report
    )
    let chain = ProviderChain([.remote(remote)], report: report)
    let inputs = InputSet(opening: [.literal("8.8.8.8"), .literal("1.1.1.0/30")])
    let encoder = RecordEncoder(format: .ndjson, sources: Provider.sourceNames)
    let outputs = Outputs(main: Outputs.Place(encoder: encoder, sink: try Sink(path: path)))
    let scan = Scan(
      reader: try EntryReader(inputs: inputs, rules: EntryRules()),
      chain: chain,
      outputs: outputs,
      rules: Scan.Rules(),
      report: report
    )
    let outcome = await chain.watchingNetwork { await scan.run() }
    #expect(outcome.isComplete && outcome.tally.records == 5)
    // One batch.
    #expect(budget.sent == 1)
    // end
  }

  @Test(.timeLimit(.minutes(1))) func reader() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/access.log"
    try Data("8.8.8.8 - GET /\n8.8.8.8 - GET /a\n9.9.9.9 - GET /\n".utf8)
      .write(to: URL(fileURLWithPath: path))
    // example: EntryReader
    var rules = EntryRules()
    rules.mode = .log
    let reader = try EntryReader(inputs: InputSet(opening: [.file(path)]), rules: rules)
    var (addresses, duplicates): ([String], Int) = ([], 0)
    reading: while true {
      switch try await reader.next(limit: 1000, patience: nil) {
      case .entries(let entries):
        addresses += entries.block.records.compactMap { $0.address.map { "\($0)" } }
        duplicates += entries.duplicates
      case .failure(let failure): print("\(failure.name): \(failure.reason)")
      case .silence: continue
      case .end: break reading
      }
    }
    #expect(addresses == ["8.8.8.8", "9.9.9.9"] && duplicates == 1)
    // end
  }

  @Test(.timeLimit(.minutes(1))) func journal() async throws {
    let folder = try ScratchFolder()
    let (list, path) = (folder.path + "/list.txt", folder.path + "/list.csv")
    try Data("8.8.8.8\n9.9.9.9\n".utf8).write(to: URL(fileURLWithPath: list))
    // example: Journal
    let inputs = [Input.file(list)]
    let job = ScanJob(options: [ScanJob.Option("format", "csv")], inputs: inputs)
    let journal = try Journal.begin(path: path + ".journal", job: job)
    var rules = EntryRules()
    rules.isJournalled = true
    let scan = Scan(
      reader: try EntryReader(inputs: InputSet(opening: inputs), rules: rules),
      chain: nil,
      outputs: Outputs(
        main: Outputs.Place(encoder: RecordEncoder(format: .csv), sink: try Sink(path: path))
      ),
      rules: Scan.Rules(),
      journal: journal,
      report: { event in print(event) }
    )
    let outcome = await scan.run()
    // After any other end it stays, and `Journal.resume` goes on from it.
    if outcome.isComplete { journal.remove() }
    #expect(outcome.tally.records == 2)
    // end
  }
}

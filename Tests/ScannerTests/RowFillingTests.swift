import SondeAddresses
import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeDatabases
@testable import SondeInputs
@testable import SondeOutputs
@testable import SondeProviders
@testable import SondeRecords
@testable import SondeUpgrade

/// Upgrades whose rows get the columns of sources.
@Suite(.timeLimit(.minutes(1))) struct RowFillingTests {
  private let folder: ScratchFolder
  private let server: ScriptedServer

  init() throws {
    folder = try ScratchFolder()
    server = try ScriptedServer { question, _ in .ipAPI(question.addresses) }
  }

  /// A table that knows one network.
  private struct Team: ImmediateSource {
    let columns = [AddedColumn(name: "own_network"), AddedColumn(name: "own_team")]

    func append(valuesOf addresses: Span<Address>, to values: inout AddedValues) {
      for index in addresses.indices {
        let isOwn = addresses[index].ipv4.map { $0 >> 24 } == 10
        values.append(text: isOwn ? "10.0.0.0/8" : "")
        values.append(text: isOwn ? "lab" : "")
      }
    }
  }

  /// Upgrades a text of records.
  ///
  /// - Returns: What became of it.
  private func upgraded(
    _ records: String,
    by source: FakeSource?,
    withTable: Bool = false
  ) async throws -> (output: String, outcome: ScanOutcome) {
    let file = try ScratchFile(Array(records.utf8))
    let table: [any ColumnSource] = withTable ? [Team()] : []
    let columns = table + (source.map { [AwaitedColumns(columns: $0.columns)] } ?? [])
    let opened = try OpenedRecords(
      .file(file.path),
      fallbacks: [.libloc, .mmdb],
      filling: RowFilling(columns)
    )
    let encoder = RecordEncoder(
      format: opened.layout.format,
      fields: opened.layout.fields ?? [.ip, .status, .source]
        + columns.flatMap(\.columns).map(Field.added),
      sources: Provider.sourceNames,
      added: columns
    )
    let sink = try Sink(path: folder.file("o"))
    let upgrade = Upgrade(
      of: opened,
      to: .init(encoder: encoder, sink: sink),
      chain: ProviderChain(
        [.remote(try provider(server, retries: 0))],
        adding: source.map { [$0] } ?? []
      ) { _ in },
      batches: 4,
      copiesRest: true
    ) { _ in }
    let outcome = await upgrade.run()
    return (try folder.text("o"), outcome)
  }

  @Test func `rows that lack the columns get them, and so does the header`() async throws {
    let source = FakeSource()
    let (output, outcome) = try await upgraded(
      """
      note,ip,status,source
      "a,b",8.8.8.1,ok,ip-api
      ,8.8.8.2,ok,libloc
      ,10.1.1.1,reserved,
      ,x,invalid,
      torn

      """,
      by: source,
      withTable: true
    )
    #expect(
      output == """
        note,ip,status,source,own_network,own_team,ptr,ptr_sure,ptr_status
        "a,b",8.8.8.1,ok,ip-api,,,8.8.8.1.example,,unconfirmed
        ,8.8.8.2,ok,ip-api,,,8.8.8.2.example,,unconfirmed
        ,10.1.1.1,reserved,,10.0.0.0/8,lab,,,
        ,x,invalid,,,,,,
        torn

        """
    )
    #expect(server.questions.flatMap(\.addresses) == ["8.8.8.2"])
    #expect(source.addresses.sorted() == ["8.8.8.1", "8.8.8.2"])
    #expect(outcome.upgrades?.upgraded == 3)
  }

  @Test(arguments: ["failed", "network_lost", ""])
  func `a row is asked about again where its source had no answer`(status: String) async throws {
    let source = FakeSource()
    let head = "ip,status,source,ptr,ptr_sure,ptr_status\r\n"
    let rows = "8.8.8.1,ok,ip-api,,,\(status)\r\n8.8.8.2,ok,ip-api,b,,confirmed\r\n"
    let (output, outcome) = try await upgraded(head + rows, by: source)
    let row = "8.8.8.1,ok,ip-api,8.8.8.1.example,,unconfirmed\r\n"
    #expect(output == head + row + "8.8.8.2,ok,ip-api,b,,confirmed\r\n")
    #expect(source.addresses == ["8.8.8.1"])
    #expect(server.questions.isEmpty)
    #expect(outcome.upgrades?.upgradable == 1 && outcome.upgrades?.upgraded == 1)
  }

  @Test func `what a source said stays where it fails, also in a row with a better answer`()
    async throws
  {
    let source = FakeSource { _ in .failed }
    let head = "ip,status,source,ptr,ptr_sure,ptr_status\n"
    let rows = "8.8.8.1,ok,libloc,a,true,confirmed\n8.8.8.2,ok,ip-api,,,network_lost\n"
    let (output, outcome) = try await upgraded(head + rows, by: source)
    #expect(
      output == head + "8.8.8.1,ok,ip-api,a,true,confirmed\n8.8.8.2,ok,ip-api,,,failed\n"
    )
    #expect(outcome.tally.faults == [FaultTally(failed: 2)])
    #expect(outcome.upgrades?.upgradable == 2 && outcome.upgrades?.upgraded == 1)
  }

  @Test func `objects get members behind their own, and none twice`() async throws {
    let source = FakeSource { _ in .names(["a", "b"], isSure: true) }
    let (output, _) = try await upgraded(
      """
      {"ip":"8.8.8.1","status":"ok","source":"ip-api","mine":1,"ptr_status":"failed"}
      {"ip":"8.8.8.2","status":"ok","source":"ip-api","ptr":["c"],"ptr_status":"confirmed"}
      {"ip":"10.1.1.1","status":"reserved"}

      """,
      by: source,
      withTable: true
    )
    #expect(
      output == """
        {"ip":"8.8.8.1","status":"ok","source":"ip-api","ptr":["a","b"],"ptr_sure":true,\
        "ptr_status":"unconfirmed","mine":1}
        {"ip":"8.8.8.2","status":"ok","source":"ip-api","ptr":["c"],"ptr_status":"confirmed"}
        {"ip":"10.1.1.1","status":"reserved","own_network":"10.0.0.0/8","own_team":"lab"}

        """
    )
  }
}

import SondeProviders
import Testing

@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeUpgrade

@Suite struct RowEncoderTests {
  /// A text that holds one row with another in its place, and what became of it.
  private func replaced(
    _ text: String,
    by answer: String,
    fields: [Field] = Field.standard,
    spreadsheet: Bool = false
  ) throws -> (chunk: Chunk, upgrades: UpgradeTally) {
    let bytes = Array(text.utf8)
    let layout = try #require(try RecordLayout.recognize(bytes.span, isLast: true, name: "f"))
    let encoder = RecordEncoder(
      format: layout.format,
      fields: fields,
      sources: Provider.sourceNames,
      spreadsheet: spreadsheet
    )
    let rows = try RowEncoder(layout, RecordParser.rows(of: bytes), encoder: encoder)
    let block = RecordBlock(answer)
    var chunk = Chunk(first: 0)
    rows.append(block.records[0], bytes: block.bytes.span, of: 0, to: &chunk)
    return (chunk, chunk.upgrades)
  }

  @Test func `CSV keeps its columns, what Sonde does not know, and its line ends`() throws {
    let (chunk, upgrades) = try replaced(
      "note,line,ip,country_code,status,city,source,message\r\n"
        + "\"a,\n\"\"b\"\"\",07,\"8.8.8.8\",US,network_lost,old,,gone\r\n",
      by: "8.8.8.8 ok CH"
    )
    let row = "\"a,\n\"\"b\"\"\",07,\"8.8.8.8\",CH,ok,,ip-api,\r\n"
    #expect(text(chunk.output).hasSuffix("message\r\n" + row))
    #expect(chunk.tally.ok == 1)
    #expect((upgrades.upgradable, upgrades.upgraded) == (1, 1))
  }

  @Test func `JSON keeps address, line and input, and what Sonde does not know`() throws {
    let old = """
      {"mine": [1, 2], "status":"ok","source":"libloc","ip" :"8.8.8.8","network":"8.0.0.0/8",\
      "line":7,"input":"f","country_code":"US"}
      """
    let (chunk, _) = try replaced(old + "\r\n", by: "8.8.8.8 ok CH")
    #expect(
      text(chunk.output) == """
        {"ip" :"8.8.8.8","status":"ok","source":"ip-api","country_code":"CH","cached":false,\
        "line":7,"mine": [1, 2],"input":"f"}\r\n
        """
    )
  }

  @Test func `JSON gets the fields that are asked for, and those the next upgrade needs`() throws {
    let old = #"[{"ip":"8.8.8.8","status":"failed","message":"m"}"#
    let (chunk, _) = try replaced(old, by: "8.8.8.8 ok CH", fields: [.countryCode, .ip])
    #expect(
      text(chunk.output)
        == #"[{"country_code":"CH","ip":"8.8.8.8","status":"ok","source":"ip-api"}"#
    )
  }

  @Test func `texts of an answer are made safe for a spreadsheet`() throws {
    let head = "ip,status,source,country_code\n"
    let (chunk, _) = try replaced(
      head + "8.8.8.8,failed,,\n",
      by: "8.8.8.8 ok =1,2",
      spreadsheet: true
    )
    #expect(text(chunk.output) == head + "8.8.8.8,ok,ip-api,\"'=1,2\"\n")
  }

  @Test(arguments: [
    ("ok,libloc", "ok", true), ("ok,libloc", "unknown", false), ("ok,mmdb", "failed", false),
    ("ok,mmdb", "network_lost", false), ("failed,", "ok", true), ("failed,", "unknown", true),
    ("failed,", "network_lost", false), ("network_lost,", "failed", false),
    ("network_lost,", "unknown", true), ("ok,ip-api", "ok", false),
  ])
  func `a row changes only when an answer says more`(
    old: String,
    new: String,
    isBetter: Bool
  ) throws {
    let whole = "ip,status,source\n8.8.8.8,\(old)\n"
    let (chunk, upgrades) = try replaced(whole, by: "8.8.8.8 \(new) x")
    #expect((text(chunk.output) != whole) == isBetter)
    #expect(upgrades.upgraded == (isBetter ? 1 : 0))
    #expect(upgrades.upgradable == (old == "ok,ip-api" ? 0 : 1))
    #expect(upgrades.failed == (new == "failed" ? 1 : 0))
    #expect(upgrades.networkLost == (new == "network_lost" ? 1 : 0))
    #expect(chunk.tally.records == 1)
  }
}

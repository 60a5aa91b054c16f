import Records
import Testing

@testable import Scanner

@Suite struct RowEncoderTests {
  /// The first row of a text, and an encoder for it.
  private func row(
    _ text: String,
    fields: [Field] = Field.standard,
    spreadsheet: Bool = false
  ) throws -> (Row, PieceEncoder) {
    let bytes = Array(text.utf8)
    let layout = try #require(try RecordLayout.recognize(bytes.span, isLast: true, name: "f"))
    var parser = RecordParser(layout, name: "f", fallbacks: [.libloc, .mmdb])
    var entries = EntryBlock()
    _ = parser.parse(bytes.span, isLast: true, into: &entries, limit: .max)
    let encoder = RecordEncoder(format: layout.format, fields: fields, spreadsheet: spreadsheet)
    let rows = RowEncoder(layout: layout, encoder: encoder)
    return (
      try #require(entries.row(0)),
      PieceEncoder(main: encoder, rejects: nil, listsMissing: false, rows: rows)
    )
  }

  private func replaced(
    _ text: String,
    by answer: String,
    fields: [Field] = Field.standard,
    spreadsheet: Bool = false
  ) throws -> Piece {
    let (row, encoder) = try row(text, fields: fields, spreadsheet: spreadsheet)
    let block = RecordBlock(answer)
    var piece = Piece(first: 0)
    encoder.append(block.records[0], bytes: block.bytes.span, row: row, to: &piece)
    return piece
  }

  @Test func `CSV keeps its columns, what Sonde does not know, and its line ends`() throws {
    let piece = try replaced(
      "note,line,ip,country_code,status,city,source,message\r\n"
        + "\"a,\n\"\"b\"\"\",07,\"8.8.8.8\",US,network_lost,old,,gone\r\n",
      by: "8.8.8.8 ok CH"
    )
    let row = "\"a,\n\"\"b\"\"\",07,\"8.8.8.8\",CH,ok,,ip-api,\r\n"
    #expect(text(piece.output).hasSuffix("message\r\n" + row))
    #expect(piece.tally.ok == 1)
    #expect(piece.upgrades == UpgradeTally(upgradable: 1, upgraded: 1))
  }

  @Test func `JSON keeps address, line and input, and what Sonde does not know`() throws {
    let old = """
      {"mine": [1, 2], "status":"ok","source":"libloc","ip" :"8.8.8.8","network":"8.0.0.0/8",\
      "line":7,"input":"f","country_code":"US"}
      """
    let piece = try replaced(old + "\r\n", by: "8.8.8.8 ok CH")
    #expect(
      text(piece.output) == """
        {"ip" :"8.8.8.8","status":"ok","source":"ip-api","country_code":"CH","cached":false,\
        "line":7,"mine": [1, 2],"input":"f"}\r\n
        """
    )
  }

  @Test func `JSON gets the fields that are asked for, and those the next upgrade needs`() throws {
    let old = #"[{"ip":"8.8.8.8","status":"failed","message":"m"}"#
    let piece = try replaced(old, by: "8.8.8.8 ok CH", fields: [.countryCode, .ip])
    #expect(
      text(piece.output)
        == #"[{"country_code":"CH","ip":"8.8.8.8","status":"ok","source":"ip-api"}"#
    )
  }

  @Test func `texts of an answer are made safe for a spreadsheet`() throws {
    let head = "ip,status,source,country_code\n"
    let piece = try replaced(head + "8.8.8.8,failed,,\n", by: "8.8.8.8 ok =1,2", spreadsheet: true)
    #expect(text(piece.output) == head + "8.8.8.8,ok,ip-api,\"'=1,2\"\n")
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
    let piece = try replaced(whole, by: "8.8.8.8 \(new) x")
    #expect((text(piece.output) != whole) == isBetter)
    #expect(piece.upgrades.upgraded == (isBetter ? 1 : 0))
    #expect(piece.upgrades.upgradable == (old == "ok,ip-api" ? 0 : 1))
    #expect(piece.upgrades.failed == (new == "failed" ? 1 : 0))
    #expect(piece.upgrades.networkLost == (new == "network_lost" ? 1 : 0))
    #expect(piece.tally.records == 1)
    #expect(piece.rowBytes == whole.utf8.count)
  }
}

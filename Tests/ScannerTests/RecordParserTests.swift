import SondeAddresses
import TestSupport
import Testing

@testable import SondeInputs
@testable import SondeRecords
@testable import SondeUpgrade

/// What a parser makes of a file of records that comes in pieces.
private struct Fed: Equatable {
  /// Each row: its address if it is to be asked for, or its status, and its body.
  var rows: [String] = []
  var faults: [String] = []
  /// Everything that rows hold, and what was left.
  var bytes: [UInt8] = []
  var rest: [UInt8] = []

  init(_ bytes: [UInt8], limit: Int = .max, piece: () -> Int = { .max }) throws {
    let window = RowWindow()
    var parser = try RecordParser(of: bytes, window: window)
    var (buffer, coming): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
    while !parser.isDone {
      var entries = EntryBlock()
      let isLast = coming.isEmpty
      let consumed = parser.parse(buffer.span, isLast: isLast, into: &entries, limit: limit)
      take(entries, window)
      buffer.removeFirst(consumed)
      if isLast, buffer.isEmpty { break }
      if consumed == 0 {
        let next = coming.prefix(max(1, piece()))
        coming = coming.dropFirst(next.count)
        buffer += next
      }
    }
    rest = buffer + coming
  }

  private mutating func take(_ entries: EntryBlock, _ window: RowWindow) {
    faults += entries.faults.map(\.reason)
    for record in entries.block.records {
      let row = window[UInt64(rows.count)]
      let body = String(decoding: row.block.bytes[row.place.body], as: UTF8.self)
      let who = record.address.map { "\($0)" } ?? row.place.status.name
      rows.append("\(who) | \(body)")
      bytes += row.bytes
    }
  }
}

@Suite struct RecordParserTests {
  private func fed(_ text: String) throws -> Fed { try Fed(Array(text.utf8)) }

  private static let csv = """
    \u{feff}ip,status,source,note\r
    8.8.8.8,ok,libloc,"a, ""b""
    c"\r
    \r
    1.1.1.1,ok,ip-api,\r
    "9.9.9.9","failed",,\r
    2001:db8::1,network_lost,,\r
    2600::1,network_lost,,\r
    10.0.0.1,reserved,,\r
    x y,invalid,,\r
    4.4.4.4,unknown,,\r
    5.5.5.5,ok,mmdb,\r\n
    """

  private static let objects = [
    #"{"ip":"8.8.8.8","status":"ok","source":"libloc","x":[1,"}"]}"#,
    #"{"ip":"1.1.1.1","status":"ok","source":"ip-api"}"#,
    #"{ "status":"failed", "ip" : "9.9.9.9" }"#,
    #"{"ip":"10.0.0.1","status":"reserved","source":null}"#,
  ]
  private static let ndjson = objects.joined(separator: "\n") + "\n\n"
  private static let json = "[\n" + objects.joined(separator: ",\n") + "\n]\n"

  @Test func `the rows of a fallback, the failed and the lost are asked for`() throws {
    let fed = try fed(Self.csv)
    #expect(
      fed.rows.map { String($0.prefix { $0 != "|" }.dropLast()) } == [
        "8.8.8.8", "ok", "9.9.9.9", "network_lost", "2600::1", "reserved", "invalid", "unknown",
        "5.5.5.5",
      ]
    )
    #expect(fed.rows[0] == "8.8.8.8 | 8.8.8.8,ok,libloc,\"a, \"\"b\"\"\nc\"")
    #expect(fed.faults == [])
  }

  @Test func `objects on lines and in an array are the same rows`() throws {
    let whos = ["8.8.8.8", "ok", "9.9.9.9", "reserved"]
    let rows = zip(whos, Self.objects).map { "\($0) | \($1)" }
    for text in [Self.ndjson, Self.json] {
      let fed = try fed(text)
      #expect(fed.rows == rows)
      #expect(fed.faults == [])
    }
  }

  @Test(arguments: [csv, ndjson, json, "[]", " [ ]\n", "", "\n\n", "ip,status,source"])
  func `pieces of any size give the same rows, and every byte back`(text: String) throws {
    let bytes = Array(text.utf8)
    let whole = try Fed(bytes)
    #expect(whole.bytes + whole.rest == bytes)
    var generator = SeededGenerator(seed: 5)
    for round in 0..<60 {
      let limit = [1, 2, .max][round % 3]
      let pieces = try Fed(bytes, limit: limit) {
        Int.random(in: 1...(round < 30 ? 4 : 60), using: &generator)
      }
      #expect(pieces.bytes + pieces.rest == bytes)
      #expect(pieces.rows == whole.rows)
      #expect(pieces.faults == whole.faults)
    }
  }

  @Test(arguments: [csv, ndjson, json])
  func `bytes changed at random are all given back`(text: String) throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<400 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: 40..<bytes.count, using: &generator)
        bytes[index] =
          [0, 0xff, 0x22, 0x0a, 0x2c, 0x7b, 0x7d, 0x5c].randomElement(
            using: &generator
          ) ?? 0
      }
      if Bool.random(using: &generator) {
        bytes.removeLast(Int.random(in: 0..<bytes.count - 40, using: &generator))
      }
      guard let fed = try? Fed(bytes, piece: { 50 }) else { continue }
      #expect(fed.bytes + fed.rest == bytes)
    }
  }

  private struct Flawed: CustomTestStringConvertible {
    let text: String
    let words: String
    var testDescription: String { text.debugDescription }
  }

  @Test(arguments: [
    Flawed(text: "ip,status,source\n8.8.8.8,failed\n", words: "line 2 is copied as it is: it has"),
    Flawed(text: "ip,status,source\n\n8.8.8.8,what,\n", words: "line 3 is copied as it is: its st"),
    Flawed(text: "ip,status,source\nx,failed,\n", words: "its ip is no address"),
    Flawed(text: "ip,status,source\n8.8.8.8,ok,\n", words: "does not say by whom"),
    Flawed(text: "ip,status,source\n8.8.8.8,ok,\"x\ny\n", words: "its quotes are not closed"),
    Flawed(text: "{}\n", words: "line 1 is copied as it is: it has no ip or no status"),
    Flawed(text: "{\"ip\":\"8.8.8.8\",\"ip\":\"\"}\n", words: "a member stands there twice"),
    Flawed(text: "{\"ip\":8,\"status\":\"ok\"}\n", words: "is no text"),
    Flawed(text: "{}\n{\"ip\":\"8.8\n", words: "line 1"),
  ])
  private func `a row that is no record is told and asked about nobody`(flawed: Flawed) throws {
    let fed = try fed(flawed.text)
    #expect(fed.faults.count == 1)
    #expect(fed.faults.first?.contains(flawed.words) ?? false, "\(fed.faults)")
    #expect(fed.rest == [])
    #expect(!fed.rows.contains { $0.hasPrefix("8.8.8.8 ") })
  }

  @Test(arguments: [
    Flawed(text: "[\n{\"ip\":\"8.8", words: "line 2: the array is cut short"),
    Flawed(text: "[{}\n", words: "the array is cut short"),
    Flawed(text: "[{} {}]", words: "line 1: a comma is missing"),
    Flawed(text: "[{},\n1]", words: "line 2: a record is no JSON object"),
    Flawed(text: "[{}][{}]", words: "something follows the array"),
  ])
  private func `where an array breaks, the rest is left`(flawed: Flawed) throws {
    let fed = try fed(flawed.text)
    #expect(fed.faults.last?.contains(flawed.words) ?? false, "\(fed.faults)")
    #expect(fed.rest != [])
  }

  @Test func `a row that is too long for the memory is left`() throws {
    let long = [UInt8](repeating: 0x61, count: RecordParser.longestRow + (6 << 20))
    let bytes = Array("ip,status,source\n8.8.8.8,failed,\n".utf8) + long
    let fed = try Fed(bytes, piece: { 5 << 20 })
    #expect(fed.rows.count == 1)
    #expect(fed.rest.count == long.count)
    #expect(fed.faults.count == 1)
  }
}

@Suite struct RecordLayoutTests {
  private func layout(_ text: String, isLast: Bool = true) throws -> RecordLayout? {
    try RecordLayout.recognize(Array(text.utf8).span, isLast: isLast, name: "f")
  }

  @Test func `the form is told by the content`() throws {
    #expect(try layout("\u{feff}ip,status,source\n")?.format == .csv)
    #expect(try layout("source,x,ip,\"status\"")?.fields == [.source, .ip, .status])
    #expect(try layout(" \n{\"ip\":1}\n")?.format == .ndjson)
    #expect(try layout("\u{feff} [")?.format == .json)
    #expect(try layout("")?.format == .ndjson)
  }

  @Test(arguments: ["", " \n", "ip,status", "{\"ip\":1}"])
  func `it waits while there is too little`(text: String) throws {
    #expect(try layout(text, isLast: false) == nil)
  }

  @Test(arguments: [
    ("8.8.8.8\n", "neither CSV"), ("ip   status   source\n", "neither CSV"),
    ("ip,status\n", "no column source"), ("ip,city\n", "no column status and source"),
    ("ip,status,source,city,city\n", "city stands there twice"), ("\"ip,status\n", "neither CSV"),
    ("{\n  \"ip\": 1\n}\n", "jq -c"), ("\u{0}\u{1}", "neither CSV"),
  ])
  func `what is no file of records is told`(text: String, words: String) {
    let failure = #expect(throws: InputError.self) { try layout(text) }
    #expect(failure?.reason.contains(words) ?? false, "\(String(describing: failure))")
  }
}

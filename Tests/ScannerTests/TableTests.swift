import SondeAddresses
import TestSupport
import Testing

@testable import SondeAnnotate
@testable import SondeInputs
@testable import SondeRecords

/// Rows and columns of tables; whole tables are compared with a slow reader in
/// Tests/Blackbox/test_annotate_columns.py.
@Suite struct TableTests {
  private func header(_ text: String, delimiter: UInt8? = nil, isLast: Bool = true) -> Header? {
    Header(text.utf8Span.span, from: 0, delimiter: delimiter, isLast: isLast)
  }

  private func plan(
    _ text: String,
    columns: [String] = [],
    fields: [Field] = [.status],
    isLast: Bool = true
  ) throws(TableError) -> TablePlan? {
    guard let header = header(text, isLast: isLast) else { return nil }
    let rules = TableRules(columns: columns, delimiter: nil, fields: fields, isSpreadsheet: false)
    return try TablePlan(rules, header, in: text.utf8Span.span, isLast: isLast)
  }

  @Test(arguments: [
    ("ip,b\n", ","), ("ip\tb,c\td\n", "\t"), ("ip;b;c,d\n", ";"), ("ip\n", ","), ("", ","),
    ("\"a\tb\tc\",ip\n", ","), ("\"a;;\"\";\",ip\n", ","), ("\"a\n;;\",ip\n", ","),
    ("a\tb,c\n", "\t"), ("a;b,c\n", ","), ("5\"x;y;\",z\n", ";"),
  ])
  func `the header tells what parts cells`(text: String, delimiter: Character) {
    #expect(header(text)?.delimiter == delimiter.asciiValue)
  }

  @Test func `names are read without their quotes`() {
    let names = header("a,\"b,\"\"c\"\"\n\",\"d\"e,f\"g\r\nx")?.names
    let expected = ["a", "b,\"c\"\n", "de", "f\"g"]
    #expect(names?.map { String(decoding: $0, as: UTF8.self) } == expected)
    #expect(header("a,\"b\n", isLast: false) == nil)
    #expect(header("a,b", isLast: false) == nil)
  }

  @Test(arguments: [
    ("a,IP,b\n", [1]), ("a,b\n\n8.8.8.8,x\n1,2\n", [0]), ("a,b\nx,\"[::1]:80\"\n", [1]),
  ])
  func `the column is found by its name or the first data row`(text: String, columns: [Int]) throws
  {
    #expect(try plan(text)?.wanted == columns)
  }

  @Test(arguments: [
    "a,b\n", "a,b\nx,y\n", "a,b\n8.8.8.8,1.1.1.1\n", "ip,IP\n8.8.8.8,x\n", "a,b\n1\n",
  ])
  func `a table that does not tell asks for its columns`(text: String) {
    #expect(throws: TableError.self) { try plan(text) }
  }

  @Test func `the first data row is waited for only where it is needed`() throws {
    #expect(try plan("a,b\n", isLast: false) == nil)
    #expect(try plan("a,b\n8.8.8.8", isLast: false) == nil)
    #expect(try plan("a,ip\n", isLast: false) != nil)
  }

  @Test func `new columns follow in the order asked for`() throws {
    let plan = try plan("a,b\n", columns: ["b", "a"], fields: [.status, .city])
    #expect(plan?.wanted == [0, 1])
    #expect(plan?.order == [1, 0])
    let cells = String(decoding: plan?.headerCells ?? [], as: UTF8.self)
    #expect(cells == ",b_status,b_city,a_status,a_city")
  }

  @Test func `a name that would stand there twice is refused`() {
    #expect(throws: TableError.doubledName(Array("ip_status".utf8))) {
      try plan("ip,ip_status\n")
    }
    #expect(throws: TableError.doubledName(Array("a_status".utf8))) {
      try plan("a,b\n", columns: ["a", "a"])
    }
    #expect(throws: TableError.noColumn("c", [Array("a".utf8)])) { try plan("a\n", columns: ["c"]) }
  }

  @Test func `rows end at the same places wherever the text is cut`() {
    var generator = SeededGenerator(seed: 1)
    let alphabet = Array("\"\"\",\n\r;a".utf8)
    var differences = 0
    for _ in 0..<2000 {
      let text = (0..<20).map { _ in alphabet[Int(generator.next() % UInt64(alphabet.count))] }
      var (expected, position) = ([Int](), 0)
      var cells = DelimitedRow(delimiter: UInt8(ascii: ","), wanted: [])
      while position < text.count {
        cells.read(text.span, from: position)
        position = cells.end
        if cells.isEnded { expected.append(position) }
      }
      var (ends, seen, found) = (RowEnds(delimiter: UInt8(ascii: ",")), 0, [Int]())
      while seen < text.count {
        let end = min(text.count, seen + Int(generator.next() % 5) + 1)
        if let last = ends.find(text.span.extracting(..<end), from: seen) { found.append(last) }
        seen = end
      }
      // Of several ends that come at once the last one is told.
      if !found.allSatisfy(expected.contains) || found.last != expected.last { differences += 1 }
    }
    #expect(differences == 0)
  }

  @Test func `the first end is found for a row that is too long`() {
    var ends = RowEnds(delimiter: UInt8(ascii: ","))
    let text = Array("a,\"b\n".utf8)
    #expect(ends.find(text.span, from: 0) == nil)
    let rest = Array("c\"\"\n\",d\ne\n".utf8)
    #expect(ends.find(rest.span, from: 0, stopsAtFirst: true) == 8)
  }

  @Test func `new cells are quoted as their delimiter wants it`() {
    var output: [UInt8] = []
    NewCells.append(row: Array("ok,\"a,\"\"b\",c;d".utf8).span, delimiter: 0x3b, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "ok;\"a,\"\"b\";\"c;d\"")
    output = []
    NewCells.append(row: Array("ok,,x".utf8).span, delimiter: 0x09, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "ok\t\tx")
    output = []
    NewCells.append(Array("=x".utf8), delimiter: 0x2c, isSpreadsheet: true, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "'=x")
  }
}

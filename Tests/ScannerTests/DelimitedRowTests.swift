import Testing

@testable import SondeInputs
@testable import SondeRecords

@Suite struct DelimitedRowTests {
  /// The fields of the first row, its end, and the bytes without the line's end.
  private func read(
    _ text: String,
    as format: Format = .csv,
    isLast: Bool = true
  ) throws -> (outcome: DelimitedRow.Outcome, fields: [String], end: Int, bodyEnd: Int) {
    let bytes = Array(text.utf8)
    var row = DelimitedRow(try #require(format.delimiter))
    let outcome = row.read(bytes.span, from: 0, isLast: isLast)
    let fields = row.fields.map { String(decoding: bytes[$0], as: UTF8.self) }
    return (outcome, fields, row.end, row.bodyEnd)
  }

  private struct Case: CustomTestStringConvertible {
    let text: String
    let fields: [String]
    let bodyEnd: Int
    let end: Int
    var testDescription: String { text.debugDescription }
  }

  @Test(arguments: [
    Case(text: "a,b\nc", fields: ["a", "b"], bodyEnd: 3, end: 4),
    Case(text: "a,b\r\nc", fields: ["a", "b"], bodyEnd: 3, end: 5),
    Case(text: "a,b", fields: ["a", "b"], bodyEnd: 3, end: 3),
    Case(text: ",,\n", fields: ["", "", ""], bodyEnd: 2, end: 3),
    Case(text: "a,\r\n", fields: ["a", ""], bodyEnd: 2, end: 4),
    Case(text: "\"x,\n\"\"y\"\"\",b\n", fields: ["\"x,\n\"\"y\"\"\"", "b"], bodyEnd: 12, end: 13),
    Case(text: "a\"b,c\n", fields: ["a\"b", "c"], bodyEnd: 5, end: 6),
    Case(text: "\"a\"b,c\n", fields: ["\"a\"b", "c"], bodyEnd: 6, end: 7),
    Case(text: "\"\"\n", fields: ["\"\""], bodyEnd: 2, end: 3),
    Case(text: "a\rb,c\n", fields: ["a\rb", "c"], bodyEnd: 5, end: 6),
  ])
  private func `a row is split at its commas`(row: Case) throws {
    let read = try read(row.text)
    #expect(read.outcome == .whole)
    #expect(read.fields == row.fields)
    #expect((read.bodyEnd, read.end) == (row.bodyEnd, row.end))
  }

  @Test(arguments: ["a,b", "a,\"b", "a,\"b\"", "a,", "a,b\r"])
  func `a row whose end has not come is not whole`(text: String) throws {
    #expect(try read(text, isLast: false).outcome == .more)
  }

  @Test(arguments: [
    Case(text: "a\tb,c\n", fields: ["a", "b,c"], bodyEnd: 5, end: 6),
    Case(text: "\t\"a\t\r\nb", fields: ["", "\"a", ""], bodyEnd: 4, end: 6),
  ])
  private func `quotes mean nothing between tabs`(row: Case) throws {
    let read = try read(row.text, as: .tsv)
    #expect(read.outcome == .whole)
    #expect(read.fields == row.fields)
    #expect((read.bodyEnd, read.end) == (row.bodyEnd, row.end))
  }

  @Test func `quotes that never close are told`() throws {
    #expect(try read("a,\"b\nc,d\n").outcome == .unclosed)
  }

  @Test func `content is what stands between the quotes`() throws {
    let bytes = Array(#""ip","a""b",plain,"""#.utf8)
    var row = DelimitedRow(try #require(Format.csv.delimiter))
    _ = row.read(bytes.span, from: 0, isLast: true)
    let contents = row.fields.indices.map { index in
      let range = row.content(index, in: bytes.span)
      return String(decoding: bytes[range], as: UTF8.self)
    }
    #expect(contents == ["ip", #"a""b"#, "plain", ""])
  }
}

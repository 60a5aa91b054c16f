import SondeAddresses
import Testing

@testable import SondeAnnotate
@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeScanner

/// Lines that a condition keeps, before any request and with answers.
@Suite struct LineFilterTests {
  private static let text = "8.8.8.8 a\nnone\n1.1.1.1 8.8.8.8 b\n9.9.9.9 c\nnone"

  private func filter(_ text: String) throws -> LineFilter {
    LineFilter(
      try Filter(text) { _ throws(FilterFileError) in throw FilterFileError("no file is needed") }
    )
  }

  /// The slice of a log after the filter's decisions before any request.
  private func slice(
    _ filter: LineFilter?,
    insertsNothing: Bool = false,
    firstLine: UInt64 = 1
  ) -> LineSlice {
    var slice = LineSlice()
    slice.block.bytes = Array(Self.text.utf8)
    slice.searcher = LogSearcher(position: .behindAddress)
    slice.place = Place(line: firstLine)
    slice.search()
    let rules = LineRules(filter: filter, insertsNothing: insertsNothing)
    slice.choose(by: rules) { $0.specialPurpose == nil }
    return slice
  }

  private func open(_ slice: LineSlice) -> [String] {
    slice.block.subjects.open.map { "\($0.address)" }.sorted()
  }

  @Test(arguments: [
    ("ip = 8.8.8.8", "8.8.8.8 a\n1.1.1.1 8.8.8.8 b\n", ["1.1.1.1", "8.8.8.8"], 1),
    ("not ip = 8.8.8.8", "1.1.1.1 8.8.8.8 b\n9.9.9.9 c\n", ["1.1.1.1", "8.8.8.8", "9.9.9.9"], 1),
    ("ip = 8.8.4.4", "", [], 4),
    ("country_code = DE and ip = 9.9.9.9", "9.9.9.9 c\n", ["9.9.9.9"], 3),
    ("line > 13", "9.9.9.9 c\n", ["9.9.9.9"], 3),
    ("line < 13 and country_code", "8.8.8.8 a\n", ["8.8.8.8"], 3),
  ])
  func `lines are dropped before any request`(
    condition: String,
    text: String,
    asked: [String],
    excluded: Int
  ) throws {
    let slice = slice(try filter(condition), firstLine: 11)
    #expect(String(decoding: slice.block.bytes, as: UTF8.self) == text)
    #expect(open(slice) == asked)
    #expect(slice.block.excluded.entries == excluded)
    #expect(slice.block.excluded.lines == slice.block.lineCount - slice.block.lines.count)
  }

  @Test(arguments: [
    ("ip = 8.8.8.8", [String]()),
    ("ip = 8.8.8.8 or country_code = DE", ["9.9.9.9"]),
    ("not ip = 1.1.1.1 and country_code = DE", ["8.8.8.8", "9.9.9.9"]),
  ])
  func `without insertions only the condition asks`(condition: String, asked: [String]) throws {
    #expect(open(slice(try filter(condition), insertsNothing: true)) == asked)
  }

  @Test func `nobody asks without insertions and condition`() {
    let slice = slice(nil, insertsNothing: true)
    #expect(open(slice).isEmpty)
    #expect(String(decoding: slice.block.bytes, as: UTF8.self) == Self.text)
    let counts = LineCounts(slice.block, insertsNothing: true)
    #expect((counts.lines.lines, counts.lines.annotated) == (5, 0))
    #expect((counts.entries, counts.unanswered.count) == (0, 3))
  }

  /// The lines that go out once each address has an answer.
  private func written(
    _ condition: String,
    _ codes: [(String, String)],
    _ status: Status = .ok
  ) throws -> (text: String, lines: [Int]) {
    let filter = try filter(condition)
    var window = LineWindow(wait: nil, LineRules(filter: filter))
    var lines = ReadLines()
    lines.waiting = [slice(filter).block]
    window.append(lines, readAt: .now)
    for (text, code) in codes {
      var block = RecordBlock()
      var record = Record(address: Address(ascii: Array(text.utf8).span), status: status)
      record[.countryCode] = block.append(text: code)
      block.records.append(record)
      var outcome = EntryOutcome(record)
      outcome.finding = filter.finding(of: record, bytes: block.bytes.span)
      let address = try #require(record.address)
      window.settle(DatedAddress(address), outcome, Array("!".utf8).span)
    }
    var output: [UInt8] = []
    let counts = window.takeDue(now: .now, into: &output)
    let tally = try #require(counts.first)
    return (
      String(decoding: output, as: UTF8.self),
      [tally.lines.lines, tally.lines.annotated, tally.lines.excluded, tally.excluded]
    )
  }

  @Test func `answers decide about the lines that are left`() throws {
    let codes = [("8.8.8.8", "US"), ("1.1.1.1", "AU"), ("9.9.9.9", "DE")]
    #expect(
      try written("country_code = AU", codes)
        == ("1.1.1.1! 8.8.8.8! b\n", [5, 1, 4, 2])
    )
    #expect(
      try written("country_code = DE or line = 1", codes)
        == ("8.8.8.8! a\n9.9.9.9! c\n", [5, 2, 3, 2])
    )
    #expect(
      try written("country_code = US and line > 1", codes)
        == ("1.1.1.1! 8.8.8.8! b\n", [5, 1, 4, 2])
    )
  }

  @Test func `a missing answer hides no line`() throws {
    let codes = [("8.8.8.8", ""), ("1.1.1.1", ""), ("9.9.9.9", "")]
    for status in [Status.failed, .networkLost] {
      let (text, _) = try written("country_code = DE and line > 1", codes, status)
      #expect(text == "1.1.1.1! 8.8.8.8! b\n9.9.9.9! c\n")
    }
    #expect(try written("country_code = DE", codes, .unknown).text == "")
  }

  @Test func `an outcome keeps its finding in a file`() {
    var outcome = EntryOutcome(status: .failed)
    (outcome.isCached, outcome.finding, outcome.source) = (true, 77, Source(31))
    #expect(EntryOutcome(number: outcome.number) == outcome)
  }
}

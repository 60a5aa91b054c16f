import SondeAddresses
import Testing

@testable import SondeAnnotate
@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeScanner

@Suite struct LineWindowTests {
  private static let style = BracketStyle(
    encoder: RecordEncoder(format: .inline, fields: [.countryCode]),
    dims: false
  )
  private let start = ContinuousClock.now
  private let outcome = EntryOutcome(status: .ok)

  /// Lines that were read and searched.
  private func lines(_ text: String) -> ReadLines {
    var block = LineBlock()
    block.bytes = Array(text.utf8)
    Self.style.cutter(of: "test", picking: nil, refangs: false).searcher.search(&block)
    var lines = ReadLines()
    lines.waiting = [block]
    return lines
  }

  private func address(_ text: String) throws -> Address {
    let address = Address(ascii: Array(text.utf8).span)
    return try #require(address)
  }

  private func due(
    _ window: inout LineWindow,
    after time: Duration = .zero
  ) -> (text: String, counts: [LineCounts]) {
    var output: [UInt8] = []
    let counts = window.takeDue(now: start + time, into: &output)
    return (String(decoding: output, as: UTF8.self), counts)
  }

  private func settle(_ window: inout LineWindow, _ text: String) throws {
    window.settle(DatedAddress(try address(text)), outcome, Array(" [\(text.prefix(1))]".utf8).span)
  }

  @Test func `lines go out up to the first that is not known`() throws {
    var window = LineWindow(wait: nil)
    window.append(lines("a\n1.1.1.1 2.2.2.2\nb\n3.3.3.3\nc\n1.1.1.1\nd"), readAt: start)
    window.append(lines("2.2.2.2\n"), readAt: start)
    #expect(due(&window).text == "a\n")
    try settle(&window, "3.3.3.3")
    #expect(due(&window).text == "")
    try settle(&window, "2.2.2.2")
    #expect(due(&window).text == "")
    try settle(&window, "1.1.1.1")
    let (text, counts) = due(&window)
    #expect(
      text == "1.1.1.1 [1] 2.2.2.2 [2]\nb\n3.3.3.3 [3]\nc\n1.1.1.1 [1]\nd2.2.2.2 [2]\n"
    )
    #expect(window.isEmpty)
    #expect(counts.map(\.lines.lines) == [7, 1])
    #expect(counts.map(\.lines.annotated) == [3, 1])
    #expect(counts.map(\.entries) == [4, 1])
  }

  @Test func `some lines of a block go out before the others are known`() throws {
    var window = LineWindow(wait: nil)
    window.append(lines("1.1.1.1\nx\n2.2.2.2\ny\n"), readAt: start)
    try settle(&window, "1.1.1.1")
    #expect(due(&window).text == "1.1.1.1 [1]\nx\n")
    #expect(due(&window).text == "")
    let counts = try #require(window.unfinishedCounts)
    #expect((counts.lines.lines, counts.lines.annotated, counts.entries) == (2, 1, 1))
    try settle(&window, "2.2.2.2")
    #expect(due(&window).text == "2.2.2.2 [2]\ny\n")
    #expect(window.isEmpty && window.unfinishedCounts == nil)
  }

  @Test func `a line that is late goes out as it came, and no other does`() throws {
    var window = LineWindow(wait: .seconds(2))
    window.append(lines("1.1.1.1\n2.2.2.2 1.1.1.1\n2.2.2.2\n"), readAt: start)
    window.append(lines("1.1.1.1\n"), readAt: start + .seconds(1))
    #expect(window.deadline == start + .seconds(2))
    try settle(&window, "2.2.2.2")
    #expect(due(&window, after: .seconds(1)).text == "")
    let (text, counts) = due(&window, after: .seconds(2))
    #expect(text == "1.1.1.1\n2.2.2.2 1.1.1.1\n2.2.2.2 [2]\n")
    #expect(counts.map(\.lines) == [LineTally(lines: 3, annotated: 1, late: 2)])
    // Of a late line counts what is known, and what is answered after all.
    let (known, open) = (try address("2.2.2.2"), try address("1.1.1.1"))
    #expect(counts.map(\.addresses) == [[known]])
    #expect(counts.map { $0.unanswered.map(\.address) } == [[open]])
    #expect(counts.map { $0.unanswered.map(\.occurrences) } == [[2]])
    #expect(window.deadline == start + .seconds(3))
    try settle(&window, "1.1.1.1")
    #expect(due(&window, after: .seconds(2)).text == "1.1.1.1 [1]\n")
    #expect(window.deadline == nil)
  }

  @Test func `a long line goes out bit by bit`() throws {
    var window = LineWindow(wait: nil, LineRules(onlyMatching: true))
    let text = String(repeating: "1.1.1.1 ", count: 1 << 18)
    window.append(lines("x\n\(text)\ny\n"), readAt: start)
    try settle(&window, "1.1.1.1")
    var (texts, counts): ([String], [LineCounts]) = ([], [])
    while !window.isEmpty {
      let next = due(&window)
      texts.append(next.text)
      counts += next.counts
    }
    #expect(texts.joined() == text.replacing("1.1.1.1", with: "1.1.1.1 [1]") + "\n")
    #expect(texts.count > 2 && texts.allSatisfy { $0.utf8.count < 2 << 20 })
    #expect(counts.map(\.lines) == [LineTally(lines: 3, annotated: 1, late: 0)])
  }

  @Test(arguments: [1, 2, 3, 5, 100])
  func `slices of a block are the block`(limit: Int) throws {
    let text = "a\n1.1.1.1 2.2.2.2 1.1.1.1\nb\n3.3.3.3 1.1.1.1\nc\n2.2.2.2\nd\n"
    let block = try #require(lines(text).waiting.first)
    var cutter = BlockSlices(block, by: limit)
    var slices: [LineBlock] = []
    while let slice = cutter.next() { slices.append(slice) }
    #expect(slices.count == [1: 6, 2: 4, 3: 2, 5: 2, 100: 1][limit])
    #expect(slices.flatMap(\.bytes) == Array(text.utf8))
    #expect(slices.map(\.lineCount).reduce(0, +) == 7 && cutter.isAtEnd)
    for onlyMatching in [false, true] {
      var window = LineWindow(wait: nil, LineRules(onlyMatching: onlyMatching))
      var sliced = ReadLines()
      sliced.waiting = slices
      window.append(sliced, readAt: start)
      for address in ["3.3.3.3", "2.2.2.2", "1.1.1.1"] { try settle(&window, address) }
      let (output, counts) = due(&window)
      let known = text.replacing(/(\d)\.\d\.\d\.\d/) { "\($0.0) [\($0.1)]" }
      let kept = known.replacing(/(?m)^[a-d]\n/, with: "")
      #expect(output == (onlyMatching ? kept : known) && window.isEmpty)
      var books = LineBooks()
      for counts in counts { books.count(counts) }
      #expect(books.lines == LineTally(lines: 7, annotated: 3, late: 0))
      #expect((books.tally.entries, books.tally.duplicates) == (6, 3))
    }
  }

  @Test func `an address is settled in all blocks that wait for it, and in no other`() throws {
    var window = LineWindow(wait: .seconds(1))
    for number in 0..<5 {
      window.append(lines("1.1.1.1 2.2.2.\(number)\n"), readAt: start + .seconds(number))
    }
    // Two are late, and wait no more.
    #expect(due(&window, after: .seconds(2)).counts.count == 2)
    try settle(&window, "1.1.1.1")
    for number in 0..<5 { try settle(&window, "2.2.2.\(number)") }
    let lines = (2..<5).map { "1.1.1.1 [1] 2.2.2.\($0) [2]\n" }
    #expect(due(&window, after: .seconds(2)).text == lines.joined())
    #expect(window.isEmpty)
  }

  @Test func `lines without an address are left out if wanted, late ones are not`() throws {
    var window = LineWindow(wait: .seconds(2), LineRules(onlyMatching: true))
    window.append(lines("a\n1.1.1.1\nb\n2.2.2.2\nc\n"), readAt: start)
    try settle(&window, "1.1.1.1")
    #expect(due(&window).text == "1.1.1.1 [1]\n")
    #expect(due(&window, after: .seconds(2)).text == "2.2.2.2\n")
    #expect(window.isEmpty)
  }

  @Test func `what was known when it was read keeps its place`() throws {
    var window = LineWindow(wait: nil)
    window.append(lines("1.1.1.1\n"), readAt: start)
    var ready = ReadLines()
    ready.output = Array("ready\n".utf8)
    window.append(ready, readAt: start)
    #expect(due(&window).text == "")
    try settle(&window, "1.1.1.1")
    #expect(due(&window).text == "1.1.1.1 [1]\nready\n")
  }

  @Test func `an address is to be asked about as long as a line waits for it`() throws {
    var window = LineWindow(wait: .seconds(1))
    window.append(lines("1.1.1.1 2.2.2.2 1.1.1.1 3.3.3.3\n"), readAt: start)
    func open(_ limit: Int) -> [String] {
      window.openAddresses(of: 0, limit: limit) { _ in true }.map { "\($0.address)" }
    }
    #expect(open(9) == ["1.1.1.1", "2.2.2.2", "3.3.3.3"])
    #expect(open(2) == ["1.1.1.1", "2.2.2.2"])
    try settle(&window, "2.2.2.2")
    #expect(open(9) == ["1.1.1.1", "3.3.3.3"])
    _ = due(&window, after: .seconds(1))
    #expect(open(9) == [])
  }

  @Test func `it is full at some megabytes, and has room again`() throws {
    var window = LineWindow(wait: nil)
    let text = "1.1.1.1 " + String(repeating: "x", count: 1 << 20) + "\n"
    var count = 0
    while !window.isFull {
      window.append(lines(text), readAt: start)
      count += 1
    }
    #expect((60...64).contains(count))
    try settle(&window, "1.1.1.1")
    while !window.isEmpty { #expect(due(&window).text.utf8.count < 3 << 20) }
    #expect(!window.isFull)
  }

  @Test func `an address of a late line is counted when its answer comes after all`() throws {
    var (window, books) = (LineWindow(wait: .seconds(1)), LineBooks())
    window.append(lines("1.1.1.1 2.2.2.2\n1.1.1.1\n"), readAt: start)
    #expect((window.progress.written, window.progress.awaited) == (0, 2))
    for counts in due(&window, after: .seconds(1)).counts { books.count(counts) }
    #expect((window.progress.written, window.progress.awaited) == (3, 0))
    #expect((books.tally.entries, books.tally.duplicates) == (3, 1))
    #expect((books.lines.late, books.lines.unanswered) == (2, 2))
    for _ in 0..<2 { books.settle(try address("1.1.1.1"), outcome) }
    #expect((books.tally.entries, books.tally.ok, books.tally.duplicates) == (3, 1, 1))
    #expect(books.lines.unanswered == 1)
    books.settle(try address("2.2.2.2"), outcome)
    #expect(books.tally.balances && books.lines.unanswered == 0)
  }

  @Test func `each address is counted once, wherever it stands`() throws {
    var books = LineBooks()
    let nothing: [UInt8] = []
    for text in ["1.1.1.1 2.2.2.2 1.1.1.1\n", "2.2.2.2\nx\n3.3.3.3\n"] {
      var block = try #require(lines(text).waiting.first)
      for number in block.subjects.all.indices {
        block.subjects.settle(number, outcome, nothing.span)
      }
      books.count(LineCounts(block))
    }
    #expect(books.tally.balances)
    #expect((books.tally.entries, books.tally.ok, books.tally.duplicates) == (5, 3, 2))
    #expect(books.lines == LineTally(lines: 4, annotated: 3, late: 0))
    #expect(books.lines.unchanged == 1)
  }
}

import Foundation
import Testing

@testable import SondeAddresses

@Suite struct LogSearchTests {
  private static func search(_ text: [UInt8]) -> [LogMatch] {
    var matches: [LogMatch] = []
    searchLog(text.span, into: &matches)
    return matches
  }

  private static func searchBytewise(_ text: [UInt8]) -> [LogMatch] {
    var matches: [LogMatch] = []
    var memory = LogMemory()
    searchBytes(of: text.span, from: 0, &memory, into: &matches)
    return matches
  }

  private static func text(_ match: LogMatch, in line: [UInt8]) -> String {
    let zone = match.zone.map { "%" + String(decoding: line[$0], as: UTF8.self) } ?? ""
    return "\(match.address)" + zone
  }

  @Test func `each line gives its addresses`() {
    var wrong: [String] = []
    for (line, expected) in LogSearchCases.all {
      let bytes = Array(line.utf8)
      let found = Self.search(bytes).map { Self.text($0, in: bytes) }
      if found != expected { wrong.append("\(line): \(found), not \(expected)") }
    }
    #expect(wrong == [])
    #expect(LogSearchCases.all.count >= 750)
  }

  @Test func `a line gives the same wherever it lies in the text`() {
    var wrong: [String] = []
    // A block is 64 bytes, of which the last 16 are looked at twice; two of them follow the line.
    let rest = Array(("\n9.9.9.9" + String(repeating: " x", count: 64)).utf8)
    for (line, expected) in LogSearchCases.all {
      for shift in 0..<113 {
        let filler: UInt8 = shift.isMultiple(of: 2) ? 0x0a : UInt8(ascii: " ")
        let text = [UInt8](repeating: filler, count: shift) + Array(line.utf8) + rest
        let found = Self.search(text).map { Self.text($0, in: text) }
        if found != expected + ["9.9.9.9"] { wrong.append("\(shift) \(line): \(found)") }
        if Self.searchBytewise(text) != Self.search(text) { wrong.append("bytewise: \(line)") }
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
  }

  @Test func `a line that ends the text gives the same behind any other`() {
    var wrong: [String] = []
    for (line, expected) in LogSearchCases.all {
      for shift in 0..<113 {
        let text = [UInt8](repeating: UInt8(ascii: " "), count: shift) + Array(line.utf8)
        let found = Self.search(text).map { Self.text($0, in: text) }
        if found != expected { wrong.append("\(shift) \(line): \(found)") }
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
  }

  @Test func `a search that begins in the text sees what lies before`() {
    var wrong: [String] = []
    for (line, _) in LogSearchCases.all {
      let text = Array((line + " and then some more of the text, up to a block").utf8)
      let whole = Self.search(text)
      // Neither in an address nor between two that belong together.
      for start in 0..<line.utf8.count where !Self.lies(start, in: whole, of: text) {
        var matches: [LogMatch] = []
        searchLog(text.span, from: start, into: &matches)
        if matches != whole.filter({ $0.start >= start }) { wrong.append("\(start) \(line)") }
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
  }

  /// Whether a place lies in an address, or between the two of a packet.
  private static func lies(_ place: Int, in matches: [LogMatch], of text: [UInt8]) -> Bool {
    matches.indices.contains { index in
      let match = matches[index]
      let isFirst = match.insertion > match.end && text[match.insertion] != UInt8(ascii: ":")
      let end = isFirst ? matches[index + 1].insertion : match.insertion
      return place > match.start && place < end
    }
  }

  @Test func `a match says where words about it belong`() {
    let line = Array("10.0.0.1.443 > fe80::2.https: x fe80::1%lo 8.8.8.8:53".utf8)
    let matches = Self.search(line)
    #expect(matches.map(\.start) == [0, 15, 32, 43])
    #expect(matches.map(\.end) == [8, 22, 42, 50])
    #expect(matches.map(\.insertion) == [12, 28, 42, 50])
  }

  @Test func `a match says where it lies`() {
    let line = Array("to [fe80::1%eth0.1]. or ::ffff:8.8.8.8:53".utf8)
    let matches = Self.search(line)
    #expect(matches.map(\.start) == [4, 24])
    #expect(matches.map(\.end) == [18, 38])
    #expect(matches.map(\.zone) == [12..<18, nil])
  }

  @Test func `matches are added to what is there`() {
    var matches: [LogMatch] = []
    for _ in 0..<2 { searchLog("8.8.8.8".utf8Span.span, into: &matches) }
    #expect(matches.count == 2)
  }

  @Test func `the reference reads the lines in the same way`() {
    var wrong: [String] = []
    for (line, expected) in LogSearchCases.all {
      let bytes = Array(line.utf8)
      let found = LogSearchReference.search(bytes).map { Self.text($0, in: bytes) }
      if found != expected { wrong.append("\(line): \(found), not \(expected)") }
    }
    #expect(wrong == [])
  }

  @Test(arguments: [(8170, 0), (8200, 1)])
  func `a field begins no farther back than 8 KiB`(distance: Int, count: Int) {
    let blanks = String(repeating: "x ", count: distance / 2)
    let line = Array(("Mozilla/5.0 " + blanks + "Foo/30.0.0.0").utf8)
    #expect(Self.search(line).count == count)
    #expect(Self.searchBytewise(line).count == count)
    #expect(LogSearchReference.search(line).count == count)
  }

  @Test(
    arguments: ["A/1 ", "A ", "A/1 (", "A/x ", "A\\/1 ", ""],
    ["", "\\\"", "%22", " B%2f9 ", " B/", "/1 "]
  )
  func `each version of a long field is judged by the whole field`(
    begin: String,
    middle: String
  ) {
    let blanks = String(repeating: "x ", count: 200)
    let versions = String(repeating: "y/1.2.3.4 \\n z/5.6.7.8:1 ", count: 8)
    let line = Array((#"1.1.1.1 ""# + begin + blanks + middle + versions + #"" 9.9.9.9"#).utf8)
    let expected = LogSearchReference.search(line)
    #expect(Self.search(line) == expected)
    #expect(Self.searchBytewise(line) == expected)
  }

  /// Text at random, with what is nearly an address here and there.
  ///
  /// `SONDE_SEARCH_FUZZ=600` goes on for so many seconds, from a seed that it prints.
  @Test func `text at random gives what the reference finds`() {
    let seconds = ProcessInfo.processInfo.environment["SONDE_SEARCH_FUZZ"].flatMap(Int.init)
    let seed = seconds == nil ? 11 : UInt64.random(in: 0...(.max))
    var source = LogTextSource(seed: seed)
    let end = ContinuousClock.now + .seconds(seconds ?? 0)
    var (wrong, count, found): ([String], Int, Int) = ([], 0, 0)
    while count < 3000 || ContinuousClock.now < end {
      let text = source.next()
      let expected = LogSearchReference.search(text)
      if Self.search(text) != expected || Self.searchBytewise(text) != expected {
        wrong.append(String(decoding: text, as: UTF8.self))
      }
      (count, found) = (count + 1, found + expected.count)
    }
    if seconds != nil { print("seed \(seed): \(count) texts with \(found) addresses") }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
    // Neither half of the question may have gone missing.
    #expect(found > count / 4)
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      ":", "1", ".", "1.", "1:", "1::", "::f:", "x/", "1.1.1.1:", "1:1.1.1.1", "x/1.2.3.4 ", "a",
      "fe80::1%", "-", "::1.1.1.1", "f:1.1.1.1/", "1.1.1.1-", "x/1.1.1.1 ", "\"x/1.1.1.1 ", "\\",
      "fc00:", ":::1", "\\n1.1.1.1", "1.1.1.1.a", "1.1.1.1.1 > ", "\u{1b}[1", "%20x/1.1.1.1",
    ]
  )
  func `a line of many pieces takes linear time`(piece: String) {
    let line = Array(repeatElement(Array(piece.utf8), count: 50_000).joined())
    // Looking back over the line from each mark would take many minutes.
    #expect(Self.search(line).count <= 50_000)
  }
}

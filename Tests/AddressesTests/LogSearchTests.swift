import Testing

@testable import Addresses

@Suite struct LogSearchTests {
  private static func search(_ text: [UInt8]) -> [LogMatch] {
    var matches: [LogMatch] = []
    searchLog(text.span, into: &matches)
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
    #expect(LogSearchCases.all.count > 250)
  }

  @Test func `a line gives the same wherever it lies in the text`() {
    var wrong: [String] = []
    for (line, expected) in LogSearchCases.all {
      for shift in 0..<9 {
        let text =
          [UInt8](repeating: 0x0a, count: shift) + Array(line.utf8) + Array("\n9.9.9.9".utf8)
        let found = Self.search(text).map { Self.text($0, in: text) }
        if found != expected + ["9.9.9.9"] { wrong.append("\(shift) \(line)") }
      }
    }
    #expect(wrong == [])
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

  @Test(
    .timeLimit(.minutes(2)),
    arguments: [
      "1a:.%/ ", "0123.:", "::::f1 ", "fF:.1", "1.2:x/'\"", "19.:/_-\n", "av:1./r",
    ]
  )
  func `text at random gives what the reference finds`(letters: String) {
    var generator = SeededGenerator(seed: 11)
    var source = NearAddresses(generator: SeededGenerator(seed: 12))
    let alphabet = Array(letters.utf8)
    var wrong: [String] = []
    for _ in 0..<400 {
      let junk = { (count: Int) in
        (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0x2e }
      }
      let middle = Bool.random(using: &source.generator) ? source.dotted() : source.groups()
      let text = junk(6) + Array(middle.utf8) + junk(6)
      if Self.search(text) != LogSearchReference.search(text) {
        wrong.append(String(decoding: text, as: UTF8.self))
      }
      let short = junk(18)
      if Self.search(short) != LogSearchReference.search(short) {
        wrong.append(String(decoding: short, as: UTF8.self))
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      ":", "1", ".", "1.", "1:", "1::", "::f:", "x/", "1.1.1.1:", "1:1.1.1.1", "x/1.2.3.4 ", "a",
      "fe80::1%", "-", "::1.1.1.1", "f:1.1.1.1/",
    ]
  )
  func `a line of many pieces takes linear time`(piece: String) {
    let line = Array(repeatElement(Array(piece.utf8), count: 50_000).joined())
    // Looking back over the line from each mark would take many minutes.
    #expect(Self.search(line).count <= 50_000)
  }
}

import Testing

@testable import Addresses

@Suite struct LogCutTests {
  private static func search(_ text: [UInt8]) -> [LogMatch] {
    var matches: [LogMatch] = []
    searchLog(text.span, into: &matches)
    return matches
  }

  /// The addresses of a text that is searched in two.
  private static func search(_ text: [UInt8], cutAt offset: Int) -> [LogMatch]? {
    guard let cut = LogCut.first(in: text.span, at: offset) else { return nil }
    var matches: [LogMatch] = []
    searchLog(text.span, from: 0, to: cut, into: &matches)
    // What the other side sees of this one.
    let seen = cut.isClean ? cut.offset : max(0, cut.offset - LogCut.reach)
    let end = LogCut(offset: text.count - seen, isClean: true)
    var others: [LogMatch] = []
    searchLog(text.span.extracting(seen...), from: cut.offset - seen, to: end, into: &others)
    return matches
      + others.map { match in
        LogMatch(
          start: match.start + seen,
          end: match.end + seen,
          address: match.address,
          zone: match.zone.map { $0.lowerBound + seen..<$0.upperBound + seen }
        )
      }
  }

  @Test func `text that is cut anywhere gives what it gives whole`() {
    var wrong: [String] = []
    for (line, _) in LogSearchCases.all {
      let text = Array((line + "\n").utf8)
      let whole = Self.search(text)
      for offset in 0...line.utf8.count where Self.search(text, cutAt: offset) != whole {
        wrong.append("\(offset) \(line)")
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
  }

  @Test(.timeLimit(.minutes(5))) func `text without a place to cut gives the same as well`() {
    let filler = [UInt8](repeating: UInt8(ascii: "~"), count: LogCut.reach + 100)
    var (wrong, unclean): ([String], Int) = ([], 0)
    for (line, _) in LogSearchCases.all {
      let joined = line.utf8.filter { "!#$%&'*+-./:^_`|~".utf8.contains($0) || $0.isWord }
      let text = filler + joined + filler
      let whole = Self.search(text)
      for offset in stride(from: filler.count, through: filler.count + joined.count, by: 3) {
        let cut = LogCut.first(in: text.span, at: offset)
        unclean += cut?.isClean == false ? 1 : 0
        if Self.search(text, cutAt: offset) != whole { wrong.append("\(offset) \(line)") }
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
    #expect(unclean > 1000)
  }

  @Test func `the end of the text is waited for`() {
    let word = Array("1.2.3.4".utf8)
    #expect(LogCut.first(in: word.span, at: 3) == nil)
    #expect(LogCut.last(in: word.span) == nil)
    #expect(LogCut.last(in: (word + [0x20] + word).span) == LogCut(offset: 8, isClean: true))
    #expect(LogCut.lastClean(in: word.span) == LogCut(offset: 0, isClean: true))
  }
}

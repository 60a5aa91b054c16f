import Foundation
import Testing

@testable import SondeAddresses

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
          zone: match.zone.map { $0.lowerBound + seen..<$0.upperBound + seen },
          insertion: match.insertion + seen
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

  /// `SONDE_SEARCH_FUZZ=600` tries every place for so many seconds.
  @Test(.timeLimit(.minutes(20))) func `a line without a place to cut gives the same as well`() {
    let seconds = ProcessInfo.processInfo.environment["SONDE_SEARCH_FUZZ"].flatMap(Int.init)
    var source = LogTextSource(seed: seconds == nil ? 12 : .random(in: 0...(.max)))
    let cases = LogSearchCases.all.map { $0.line.prefix(300) }.joined(separator: " ")
    var wrong = Self.differences(in: Array(cases.utf8), step: seconds == nil ? 61 : 1)
    let end = ContinuousClock.now + .seconds(seconds ?? 0)
    repeat {
      let fragments = [UInt8]((0..<60).map { _ in source.fragments(upTo: 14) }.joined())
      wrong += Self.differences(in: fragments, step: seconds == nil ? 17 : 1)
    } while ContinuousClock.now < end
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
  }

  /// Cuts a text that is one long line at many places, each seen with no more around it than it needs.
  private static func differences(in line: [UInt8], step: Int) -> [String] {
    let filler = [UInt8](repeating: UInt8(ascii: "~"), count: LogCut.reach + 100)
    let text = filler + line.map { $0 == 0x0a ? 0x20 : $0 } + filler
    let whole = search(text)
    var wrong: [String] = []
    for place in stride(from: filler.count, through: filler.count + line.count, by: step) {
      let seen = place - LogCut.reach
      let part = text.span.extracting(seen..<place + LogCut.reach)
      guard let cut = LogCut.first(in: part, at: LogCut.reach), !cut.isClean else {
        wrong.append("no cut at \(place)")
        continue
      }
      var (before, behind): ([LogMatch], [LogMatch]) = ([], [])
      searchLog(part, from: LogCut.reach - 200, to: cut, into: &before)
      searchLog(part, from: cut.offset, into: &behind)
      // Neither side knows enough of what lies farther from the cut.
      let near = { (match: LogMatch) in abs(match.start - cut.offset) < 100 }
      let found = (before + behind).filter(near).map { $0.start + seen }
      let expected = whole.filter { abs($0.start - cut.offset - seen) < 100 }.map(\.start)
      if found != expected {
        let around = text[max(0, place - 60)..<min(text.count, place + 60)]
        wrong.append("\(place) \(found) \(expected) \(String(decoding: around, as: UTF8.self))")
      }
    }
    return wrong
  }

  @Test func `the end of the text is waited for`() {
    let word = Array("1.2.3.4".utf8)
    #expect(LogCut.first(in: word.span, at: 3) == nil)
    #expect(LogCut.last(in: word.span) == nil)
    #expect(LogCut.last(in: (word + [0x20] + word).span) == nil)
    #expect(LogCut.last(in: (word + [0x0a] + word).span) == LogCut(offset: 8, isClean: true))
    let long = word + [0x0a] + [UInt8](repeating: 0x20, count: 5 * LogCut.reach)
    #expect(LogCut.last(in: long.span)?.isClean == false)
    #expect(LogCut.lastClean(in: word.span) == LogCut(offset: 0, isClean: true))
    #expect(LogCut.lastClean(in: (word + [0x20] + word).span) == LogCut(offset: 8, isClean: true))
  }
}

import SondeAddresses
import SondeInputs
import SondeLogs
import SondePrivacy
import SondeRecords
import TestSupport
import Testing

@testable import SondeAnnotate

/// Lines in which addresses are replaced where the search for answers found them, or by a search of
/// their own.
@Suite struct AnonymizedLinesTests {
  private let texts = [
    "8.8.8.8 and 2001:db8:1:2::3, 1.2.3.4:80 x fe80::1%eth0\n",
    "8[.]8[.]8[.]8 2001[:]db8[:]1[:]2::3 1.1.1.1\nnone\n9.9.9.9",
    "", "no address\n", "1.2.3.4\r\n5.6.7.8 ",
    String(repeating: "9.8.7.6\n", count: LineBlock.usualMatches),
  ]

  private func replaced(
    _ text: String,
    by anonymizer: Anonymizer,
    in slice: inout LineSlice,
    _ searcher: LogSearcher?
  ) -> String {
    slice.begin()
    (slice.block.bytes, slice.searcher, slice.anonymizer) = (Array(text.utf8), searcher, anonymizer)
    slice.search()
    return String(decoding: slice.block.bytes, as: UTF8.self)
  }

  @Test func `no address is left, whatever was searched for answers`() throws {
    var slice = LineSlice()
    let first = try #require(Pick("first"))
    for refangs in [false, true] {
      let anonymizer = try Anonymizer(.truncation(Truncation()), refangs: refangs)
      for text in texts {
        let wanted = anonymizer.text(text)
        var searchers: [LogSearcher?] = [nil]
        for searchesRefanged in [false, true] {
          for position in [LogSearcher.Position.behindAddress, .endOfLine] {
            var searcher = LogSearcher(position: position, refangs: searchesRefanged)
            searchers.append(searcher)
            searcher.isBrokenOff = true
            searchers.append(searcher)
            (searcher.isBrokenOff, searcher.picker) = (false, LinePicker(first, PickFindings()))
            searchers.append(searcher)
          }
        }
        for searcher in searchers {
          let found = replaced(text, by: anonymizer, in: &slice, searcher)
          #expect(found == wanted, "\(text.prefix(80)) refanged: \(refangs)")
          // Nothing of it is left for the block behind it.
          #expect(replaced("7.7.7.7\n", by: anonymizer, in: &slice, nil) == "7.7.7.0\n")
        }
      }
    }
  }
}

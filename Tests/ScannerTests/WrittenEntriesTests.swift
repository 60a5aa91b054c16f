import Testing

@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeScanner

@Suite struct WrittenEntriesTests {
  @Test func `entries in any order become the same as in theirs`() {
    for seed in 1...20 {
      var random = SystemRandomNumberGenerator()
      var (written, all) = (WrittenEntries(), Set<UInt64>())
      let pieces = (0..<50).map { UInt64($0) * 3..<UInt64($0) * 3 + 3 }
      for piece in pieces.shuffled(using: &random).prefix(seed * 50 / 20) {
        written.insert(piece)
        all.formUnion(piece)
        #expect((0..<160).allSatisfy { written.contains($0) == all.contains($0) })
        #expect(!all.contains(written.first))
      }
      var checkpoint = Checkpoint()
      written.note(in: &checkpoint)
      #expect(WrittenEntries(checkpoint) == written)
      #expect(Checkpoint(words: checkpoint.words) == checkpoint)
      // No two ranges touch.
      #expect(
        zip(checkpoint.ahead, checkpoint.ahead.dropFirst()).allSatisfy {
          $0.upperBound < $1.lowerBound
        }
      )
      if seed == 20 { #expect((written.first, checkpoint.ahead) == (150, [])) }
    }
  }

  @Test(arguments: [0, 7])
  func `what sources had no answer for is remembered`(excluded: Int) {
    var checkpoint = Checkpoint()
    checkpoint.tally.excluded = excluded
    checkpoint.ahead = [3..<5]
    #expect(Checkpoint(words: checkpoint.words) == checkpoint)
    checkpoint.tally.add(FaultTally(networkLost: 2), of: 1)
    #expect(Checkpoint(words: checkpoint.words) == checkpoint)
    checkpoint.tally.add(FaultTally(failed: 5), of: 3)
    #expect(Checkpoint(words: checkpoint.words) == checkpoint)
  }

  @Test func `who answered is remembered, of no one by an earlier version`() throws {
    let source = try #require(Source(number: 2))
    var checkpoint = Checkpoint()
    checkpoint.tally[source] = 3
    #expect(Checkpoint(words: checkpoint.words) == checkpoint)
    checkpoint.tally.noteAnswer(of: source)
    let read = Checkpoint(words: checkpoint.words)
    #expect(read == checkpoint && read?.tally[source] == 3)
  }

  @Test func `a hundred thousand entries ahead take one word`() {
    var written = WrittenEntries()
    var checkpoint = Checkpoint()
    let size = checkpoint.words.count
    for number in UInt64(1)...100_000 { written.insert(number..<number + 1) }
    written.note(in: &checkpoint)
    #expect(checkpoint.words.count == size + 1)
  }
}

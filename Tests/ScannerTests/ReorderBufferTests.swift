import TestSupport
import Testing

@testable import SondeOutputs
@testable import SondeScanner

@Suite struct ReorderBufferTests {
  /// Pieces of 1 to 5 entries that follow one another, each naming its first entry.
  private func chunks(_ count: Int, using generator: inout SeededGenerator) -> [Chunk] {
    var next: UInt64 = 0
    return (0..<count).map { _ in
      var chunk = Chunk(first: next)
      chunk.count = Int.random(in: 1...5, using: &generator)
      chunk.output = Array("\(next) ".utf8)
      next += UInt64(chunk.count)
      return chunk
    }
  }

  @Test func `chunks come out in the order of the input, whatever the order they come in`() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let chunks = chunks(30, using: &generator)
      var buffer = ReorderBuffer()
      var out: [UInt64] = []
      for chunk in chunks.shuffled(using: &generator) {
        buffer.insert(chunk)
        while let chunk = buffer.popNext() {
          out.append(chunk.first)
          #expect(chunk.output == Array("\(chunk.first) ".utf8))
        }
        #expect(buffer.next == chunks.prefix(out.count).reduce(0) { $0 + UInt64($1.count) })
      }
      #expect(out == chunks.map(\.first))
      let rest = buffer.popAll()
      #expect(rest.isEmpty)
    }
  }

  @Test func `nothing comes out past a gap until the end`() {
    var generator = SeededGenerator(seed: 12)
    let chunks = chunks(10, using: &generator)
    var buffer = ReorderBuffer()
    for index in [9, 4, 2, 1] { buffer.insert(chunks[index]) }
    #expect(buffer.popNext() == nil)
    #expect(buffer.popAll().map(\.first) == [1, 2, 4, 9].map { chunks[$0].first })
    let rest = buffer.popAll()
    #expect(rest.isEmpty)
  }
}

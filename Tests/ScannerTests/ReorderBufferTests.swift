import Testing

@testable import Scanner

@Suite struct ReorderBufferTests {
  /// Pieces of 1 to 5 entries that follow one another, each naming its first entry.
  private func pieces(_ count: Int, using generator: inout SeededGenerator) -> [Piece] {
    var next: UInt64 = 0
    return (0..<count).map { _ in
      var piece = Piece(first: next)
      piece.count = Int.random(in: 1...5, using: &generator)
      piece.output = Array("\(next) ".utf8)
      next += UInt64(piece.count)
      return piece
    }
  }

  @Test func `pieces come out in the order of the input, whatever the order they come in`() {
    var generator = SeededGenerator(state: 11)
    for _ in 0..<200 {
      let pieces = pieces(30, using: &generator)
      var buffer = ReorderBuffer()
      var out: [UInt64] = []
      for piece in pieces.shuffled(using: &generator) {
        buffer.insert(piece)
        while let piece = buffer.popNext() {
          out.append(piece.first)
          #expect(piece.output == Array("\(piece.first) ".utf8))
        }
        #expect(buffer.next == pieces.prefix(out.count).reduce(0) { $0 + UInt64($1.count) })
      }
      #expect(out == pieces.map(\.first))
      #expect(buffer.isEmpty)
    }
  }

  @Test func `nothing comes out past a gap until the end`() {
    var generator = SeededGenerator(state: 12)
    let pieces = pieces(10, using: &generator)
    var buffer = ReorderBuffer()
    for index in [9, 4, 2, 1] { buffer.insert(pieces[index]) }
    #expect(buffer.popNext() == nil)
    #expect(buffer.popAll().map(\.first) == [1, 2, 4, 9].map { pieces[$0].first })
    #expect(buffer.isEmpty)
  }
}

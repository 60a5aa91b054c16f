import SondeLogs

/// A block of whole lines that a thread is at work on, with rooms that are used again.
struct LineSlice: SearchedSlice {
  /// The lines.
  var block = LineBlock()

  /// What searches them; `nil` where they pass unchanged.
  var searcher: (any LineSearcher)?

  /// What this thread knows of addresses that it has met.
  var answers = AnswerTexts(room: answersRoom)

  /// What this thread knows of the answers of a compiled database.
  var numbered = NumberedTexts(room: answersRoom)

  /// Room for the numbers that the subjects of a block have among them.
  var numbers: [UInt32] = []

  /// The bytes that all threads together may remember answers in, shared out.
  private static let answersRoom = (64 << 20) / Processors.available

  var endsInLine: Bool { block.bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false }

  /// Makes room for the next block.
  mutating func begin() {
    block.removeAll()
    searcher = nil
  }

  /// Lets the bytes pass unchanged, which are so many lines.
  mutating func pass(lines: Int) {
    (searcher, block.lineCount, block.passes) = (nil, lines, true)
  }

  mutating func search() { searcher?.search(&block) }
}

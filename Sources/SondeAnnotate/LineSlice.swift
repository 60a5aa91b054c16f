import SondeLogs
import SondePrivacy
import SondeRecords

/// A block of whole lines processed by a thread, with reused buffers.
struct LineSlice: SearchedSlice {
  var block = LineBlock()

  /// The searcher of the lines; `nil` if they are copied unchanged.
  var searcher: (any LineSearcher)?

  /// The place of the block's first line.
  var place = Place()

  /// The verdicts of the filter known to this thread, and a buffer.
  var verdicts = AddressVerdicts()
  var openSubjects: [Int] = []
  /// The filter whose lines need their times or texts; `nil` for none.
  var filter: LineFilter?
  /// Replaces addresses in the lines; `nil` if they stay.
  var anonymizer: Anonymizer?
  /// Finds what lines claim; `nil` if that does not matter.
  var claims: CrawlerClaims.Finder?

  /// Whether the last line is broken off.
  var isBrokenOff = false

  /// The insertions for addresses known to this thread.
  var answers = AnswerTexts(room: answersRoom)

  /// The insertions for a compiled database's answers known to this thread.
  var numbered = NumberedTexts(room: answersRoom)

  /// A buffer for the numbers of a block's subjects among them.
  var numbers: [UInt32] = []

  /// The share of each thread in the memory for insertions, in bytes.
  private static let answersRoom = (64 << 20) / Processors.available

  var endsInLine: Bool { block.bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false }

  /// Prepares for the next block.
  mutating func begin() {
    block.removeAll()
    (searcher, isBrokenOff) = (nil, false)
  }

  /// Marks the bytes, with a number of lines, to be copied unchanged.
  mutating func pass(lines: Int) {
    (searcher, block.lineCount, block.passes) = (nil, lines, true)
  }

  /// Leaves out bytes that cannot be searched, if addresses in them would be shown.
  mutating func leaveOut() { if anonymizer != nil { block.bytes.removeAll() } }

  mutating func search() {
    if isBrokenOff, anonymizer != nil { block.dropLastWord() }
    searcher?.search(&block)
    if let filter, searcher != nil { block.noteSightings(for: filter) }
    if let claims, searcher != nil { block.noteClaims(by: claims) }
    if let anonymizer { block.replaceAddresses(by: anonymizer) }
  }
}

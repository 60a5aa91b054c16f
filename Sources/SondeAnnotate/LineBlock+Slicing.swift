import SondeInputs

/// Divides a block with a long line into slices, each settled and written without later answers.
///
/// A slice is whole lines, or a section of one line; all slices in order make up the block.
struct BlockSlices: Sendable {
  /// The largest number of insertions in a slice.
  static let limit = 1 << 14

  private let block: LineBlock
  private let limit: Int
  /// The first line, insertion and byte not yet delivered.
  private var (line, insertion, position) = (0, 0, 0)
  /// The number of lines delivered.
  private var lineCount = 0
  /// Whether everything was delivered.
  private(set) var isAtEnd = false

  /// Whether the delivered part ends within a line.
  private(set) var isWithinLine = false

  init(_ block: LineBlock, by limit: Int = limit) {
    (self.block, self.limit) = (block, limit)
  }

  /// Cuts the next slice; `nil` at the end.
  mutating func next() -> LineBlock? {
    guard !isAtEnd else { return nil }
    let begin = (line: line, insertion: insertion, position: position)
    var lines = line..<line
    if line < block.lines.count, isWithinLine || insertions(from: insertion) > limit {
      lines = takeStretch()
    } else {
      while line < block.lines.count, insertions(from: begin.insertion) <= limit { takeLine() }
      lines = begin.line..<line
    }
    if !isWithinLine, line == block.lines.count {
      (position, isAtEnd) = (block.bytes.count, true)
    }
    var slice = block.slice(begin.insertion..<insertion, in: lines, of: begin.position..<position)
    slice.endsWithinLine = isWithinLine
    slice.hasHeader = block.hasHeader && begin.line == 0 && begin.insertion == 0
    slice.beginsLine = slice.hasHeader
    count(&slice)
    return slice
  }

  /// The number of insertions from one to the end of the current line.
  private func insertions(from first: Int) -> Int {
    block.insertions(of: line..<line + 1).upperBound - first
  }

  private mutating func takeLine() {
    insertion = block.insertions(of: line..<line + 1).upperBound
    position = block.lines[line].range.upperBound
    line += 1
  }

  /// Takes as much of a line as fits into a slice.
  private mutating func takeStretch() -> Range<Int> {
    let lines = line..<line + 1
    isWithinLine = insertions(from: insertion) > limit
    guard isWithinLine else {
      takeLine()
      return lines
    }
    insertion += limit
    position = Int(block.insertions[insertion - 1].offset)
    return lines
  }

  private mutating func count(_ slice: inout LineBlock) {
    guard !isAtEnd else {
      (slice.lineCount, slice.raggedCount) = (block.lineCount - lineCount, block.raggedCount)
      return
    }
    // The last slice corrects the count for line feeds in cells of a table.
    let newlines = slice.bytes.span.countNewlines(0..<slice.bytes.count)
    slice.lineCount = min(newlines, block.lineCount - lineCount)
    lineCount += slice.lineCount
  }
}

extension LineBlock {
  /// The size of a block from which it is considered long, in bytes.
  static let longSize = 1 << 20

  /// Whether it is divided into slices.
  var isLong: Bool { bytes.count > Self.longSize && insertions.count > BlockSlices.limit }

  /// Creates a slice from some insertions, with the surrounding bytes.
  fileprivate func slice(
    _ chosen: Range<Int>,
    in chosenLines: Range<Int>,
    of place: Range<Int>
  ) -> LineBlock {
    var slice = LineBlock()
    slice.bytes = Array(bytes[place])
    slice.insertions.reserveCapacity(chosen.count)
    var numbers: [UInt32: UInt32] = [:]
    numbers.reserveCapacity(chosen.count)
    for insertion in insertions[chosen] {
      var subject = insertion.subject
      if subject != SubjectList.nothing {
        subject = numbers[subject] ?? slice.add(subjects.all[Int(subject)], of: self)
        numbers[insertion.subject] = subject
      }
      slice.insertions.append(
        Insertion(
          offset: insertion.offset - UInt32(place.lowerBound),
          subject: subject,
          before: insertion.before.isMute
            ? .mute : slice.keep(words.span.extracting(insertion.before.range))
        )
      )
    }
    slice.subjects.rewrite = subjects.rewrite
    slice.lines = chosenLines.map { index in
      let range = lines[index].range.clamped(to: place)
      let first = max(Int(lines[index].firstInsertion), chosen.lowerBound)
      return Line(
        start: UInt32(range.lowerBound - place.lowerBound),
        end: UInt32(range.upperBound - place.lowerBound),
        firstInsertion: UInt32(first - chosen.lowerBound),
        selection: lines[index].selection
      )
    }
    return slice
  }

  /// Adds an unknown subject of another block.
  private mutating func add(_ subject: SubjectList.Subject, of other: LineBlock) -> UInt32 {
    let text = subject.text.isEmpty ? .none : keep(other.words.span.extracting(subject.text.range))
    return subjects.append(
      SubjectList.Subject(
        address: subject.address,
        claims: subject.claims,
        text: text,
        period: subject.period
      )
    )
  }
}

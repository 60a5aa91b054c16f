import SondeInputs

/// Cuts a block with a long line, so that it is settled and goes out slice by slice, and is not held
/// until all is known that stands in it.
///
/// A slice is whole lines, or a stretch of one line; all of them in order are the block.
struct BlockSlices: Sendable {
  /// The most insertions of a slice.
  static let limit = 1 << 14

  private let block: LineBlock
  private let limit: Int
  /// The first line, insertion and byte that have not been given out.
  private var (line, insertion, position) = (0, 0, 0)
  /// How many lines have been given out.
  private var lineCount = 0
  /// Whether all has been given out.
  private(set) var isAtEnd = false

  /// Whether what has been given out ends within a line.
  private(set) var isWithinLine = false

  /// Begins to cut a block.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - limit: The most insertions of a slice.
  init(_ block: LineBlock, by limit: Int = limit) {
    (self.block, self.limit) = (block, limit)
  }

  /// Cuts off the next slice; `nil` where there is no more.
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
    var slice = block.slice(
      begin.insertion..<insertion,
      in: lines,
      of: begin.position..<position
    )
    slice.endsWithinLine = isWithinLine
    slice.hasHeader = block.hasHeader && begin.line == 0 && begin.insertion == 0
    count(&slice)
    return slice
  }

  /// How many insertions there are from one to the end of the line at hand.
  private func insertions(from first: Int) -> Int {
    block.insertions(of: line..<line + 1).upperBound - first
  }

  private mutating func takeLine() {
    insertion = block.insertions(of: line..<line + 1).upperBound
    position = block.lines[line].range.upperBound
    line += 1
  }

  /// Takes as much of a line as a slice may hold.
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
    // What a table's cells hold of line feeds is made up for by the last slice.
    let newlines = slice.bytes.span.countNewlines(0..<slice.bytes.count)
    slice.lineCount = min(newlines, block.lineCount - lineCount)
    lineCount += slice.lineCount
  }
}

extension LineBlock {
  /// A block of more bytes than this has a long line.
  static let longSize = 1 << 20

  /// Whether it is cut into slices.
  var isLong: Bool { bytes.count > Self.longSize && insertions.count > BlockSlices.limit }

  /// Some of the insertions, with the bytes around them.
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
          before: slice.keep(words.span.extracting(insertion.before.range))
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
        isKept: lines[index].isKept
      )
    }
    return slice
  }

  /// Adds a subject of another block, of which nothing is known yet.
  private mutating func add(_ subject: SubjectList.Subject, of other: LineBlock) -> UInt32 {
    let text = subject.text.isEmpty ? .none : keep(other.words.span.extracting(subject.text.range))
    return subjects.append(SubjectList.Subject(address: subject.address, text: text))
  }
}

extension LineBlock {
  /// The insertions of a slice of a long line.
  static let sliceInsertions = 1 << 16

  /// Cuts a block with very many insertions, so that a long line goes out slice by slice as they
  /// become known, and is not held until the last of them is.
  ///
  /// - Parameter limit: The most insertions of a slice.
  /// - Returns: Blocks that are this one when they follow each other; this one itself where it has no
  ///   more insertions.
  consuming func sliced(by limit: Int = sliceInsertions) -> [LineBlock] {
    // A zone, or an item that is no address, may stand in another slice than what is said of it.
    guard insertions.count > limit, subjects.all.allSatisfy(\.text.isEmpty) else { return [self] }
    var slices: [LineBlock] = []
    var begin = 0
    for start in stride(from: 0, to: insertions.count, by: limit) {
      let end = min(start + limit, insertions.count)
      let place = begin..<cut(behind: end)
      slices.append(slice(start..<end, of: place))
      begin = place.upperBound
    }
    slices[0].hasHeader = hasHeader
    slices[slices.count - 1].lineCount = lineCount
    slices[slices.count - 1].raggedCount = raggedCount
    return slices
  }

  /// Where a slice ends whose insertions end: with the line, if they are its last ones.
  private func cut(behind end: Int) -> Int {
    guard end < insertions.count else { return bytes.count }
    let line = lines.lastIndex { $0.firstInsertion < end }
    if let line, insertions(of: line..<line + 1).upperBound == end {
      return lines[line].range.upperBound
    }
    return Int(insertions[end - 1].offset)
  }

  /// Some of the insertions, with the bytes around them.
  private func slice(_ chosen: Range<Int>, of place: Range<Int>) -> LineBlock {
    var slice = LineBlock()
    slice.bytes = Array(bytes[place])
    slice.insertions.reserveCapacity(chosen.count)
    var numbers: [UInt32: UInt32] = [:]
    for insertion in insertions[chosen] {
      var subject = insertion.subject
      if subject != SubjectList.nothing {
        let new = UInt32(numbers.count)
        subject = numbers[subject] ?? new
        if subject == new { slice.subjects.append(subjects, Int(insertion.subject)) }
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
    for (index, line) in lines.enumerated() {
      let own = insertions(of: index..<index + 1).clamped(to: chosen)
      guard !own.isEmpty else { continue }
      let range = line.range.clamped(to: place)
      slice.lines.append(
        Line(
          start: UInt32(range.lowerBound - place.lowerBound),
          end: UInt32(range.upperBound - place.lowerBound),
          firstInsertion: UInt32(own.lowerBound - chosen.lowerBound),
          isKept: line.isKept
        )
      )
      slice.endsWithinLine = own.upperBound < insertions(of: index..<index + 1).upperBound
    }
    return slice
  }
}

extension LineBlock {
  /// Whether all that is inserted in a line is known.
  func isKnown(_ line: Int) -> Bool {
    if subjects.openCount == 0 { return true }
    return insertions[insertions(of: line..<line + 1)].allSatisfy {
      $0.subject == SubjectList.nothing || subjects.all[Int($0.subject)].insertion != nil
    }
  }

  /// The insertions of some lines.
  func insertions(of lines: Range<Int>) -> Range<Int> {
    func first(_ line: Int) -> Int {
      line < self.lines.count ? Int(self.lines[line].firstInsertion) : insertions.count
    }
    return first(lines.lowerBound)..<first(lines.upperBound)
  }

  /// The bytes of all lines with their insertions, as far as these are known.
  var outputSize: Int {
    var size = bytes.count
    for insertion in insertions {
      size += Int(insertion.before.count) + Int(insertion.behind.count)
      if insertion.subject != SubjectList.nothing {
        size += subjects.all[Int(insertion.subject)].insertion?.count ?? 0
      }
    }
    return size
  }

  /// Appends lines that are known, and what is between them.
  ///
  /// - Parameters:
  ///   - known: The lines.
  ///   - range: The bytes from the first to the last, with those of unmentioned lines around.
  ///   - onlyMatching: Whether lines without an address are left out.
  ///   - output: Where to append.
  func append(
    _ known: Range<Int>,
    in range: Range<Int>,
    onlyMatching: Bool,
    to output: inout [UInt8]
  ) {
    guard onlyMatching, !passes else { return append(known, in: range, to: &output) }
    for line in known where lines[line].isKept {
      append(line..<line + 1, in: lines[line].range, to: &output)
    }
  }

  private func append(_ known: Range<Int>, in range: Range<Int>, to output: inout [UInt8]) {
    let (bytes, texts, words) = (bytes.span, subjects.texts.span, words.span)
    var position = range.lowerBound
    for index in insertions(of: known) {
      let insertion = insertions[index]
      let offset = Int(insertion.offset)
      output.append(copying: bytes.extracting(position..<offset))
      position = offset
      if insertion.before.count > 0 {
        output.append(copying: words.extracting(insertion.before.range))
      }
      if insertion.subject != SubjectList.nothing,
        let text = subjects.all[Int(insertion.subject)].insertion
      {
        output.append(copying: texts.extracting(text))
      }
      if insertion.behind.count > 0 {
        output.append(copying: words.extracting(insertion.behind.range))
      }
    }
    output.append(copying: bytes.extracting(position..<range.upperBound))
  }
}

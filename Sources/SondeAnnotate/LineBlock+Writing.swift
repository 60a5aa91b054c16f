import SondeInputs

extension LineBlock {
  func isKnown(_ insertion: Int) -> Bool {
    let subject = insertions[insertion].subject
    return subject == SubjectList.nothing || subjects.insertion(of: Int(subject)) != nil
  }

  func insertions(of lines: Range<Int>) -> Range<Int> {
    func first(_ line: Int) -> Int {
      line < self.lines.count ? Int(self.lines[line].firstInsertion) : insertions.count
    }
    return first(lines.lowerBound)..<first(lines.upperBound)
  }

  /// The size of all lines with their known insertions in bytes.
  var outputSize: Int {
    var size = bytes.count
    for insertion in insertions {
      size += Int(insertion.before.count)
      if insertion.subject != SubjectList.nothing, !insertion.before.isMute {
        size += subjects.insertion(of: Int(insertion.subject))?.count ?? 0
      }
    }
    return size
  }

  /// Appends completely known lines, and the text between them.
  ///
  /// `range` is their bytes, with surrounding lines without insertions, which `dropsOthers` drops.
  func append(
    _ known: Range<Int>,
    in range: Range<Int>,
    dropsOthers: Bool,
    to output: inout [UInt8]
  ) {
    guard dropsOthers, !passes else { return append(known, in: range, to: &output) }
    for line in known where lines[line].selection == .kept {
      append(line..<line + 1, in: lines[line].range, to: &output)
    }
  }

  private func append(_ known: Range<Int>, in range: Range<Int>, to output: inout [UInt8]) {
    var position = range.lowerBound
    append(insertions(of: known), from: &position, to: &output)
    output.append(copying: bytes.span.extracting(position..<range.upperBound))
  }

  /// Appends known insertions, each after the bytes that precede it, until the output has a size.
  ///
  /// `position` is the first byte to append, and is advanced. Returns the first insertion that was
  /// not appended.
  @discardableResult
  func append(
    _ known: Range<Int>,
    from position: inout Int,
    until limit: Int = .max,
    to output: inout [UInt8]
  ) -> Int {
    let (bytes, texts, words) = (bytes.span, subjects.texts.span, words.span)
    for index in known {
      guard output.count < limit else { return index }
      let insertion = insertions[index]
      let offset = Int(insertion.offset)
      output.append(copying: bytes.extracting(position..<offset))
      position = offset
      if insertion.before.count > 0 {
        output.append(copying: words.extracting(insertion.before.range))
      }
      if insertion.subject != SubjectList.nothing, !insertion.before.isMute,
        let text = subjects.insertion(of: Int(insertion.subject))
      {
        output.append(copying: texts.extracting(text))
      }
    }
    return known.upperBound
  }
}
